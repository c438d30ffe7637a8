"""Reading the files of `heuristics/`: TOML and CSV with errors that say where, what and what to do."""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from estimator.errors import EstimatorError

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

M = TypeVar("M", bound="BaseModel")


def read_toml(path: Path) -> dict[str, Any]:
    """The file as a dictionary. A file that can't be read or parsed is an error with its line."""
    text = _read(path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise EstimatorError(f"{path}: not valid TOML: {error}") from None
    except RecursionError:
        raise EstimatorError(f"{path}: nested too deeply to be read") from None


def read_csv(path: Path, columns: tuple[str, ...]) -> list[dict[str, str]]:
    """Rows by column name; lines that begin with "#" are comments. Missing columns are an error."""
    lines = [line for line in _read(path).splitlines() if not line.startswith("#")]
    reader = csv.DictReader(io.StringIO("\n".join(lines)))
    missing = [name for name in columns if name not in (reader.fieldnames or [])]
    if missing:
        raise EstimatorError(f"{path}: column '{missing[0]}' is missing; columns needed: {', '.join(columns)}")
    return list(reader)


def check(path: Path, where: str, model: type[M], table: Mapping[str, Any]) -> M:
    """Check one table against a pydantic model; all its faults are reported at once.

    where: the table's name in the file, shown before each fault.
    """
    from pydantic import ValidationError

    try:
        return model.model_validate(table)
    except ValidationError as error:
        raise EstimatorError("\n".join(_faults(path, where, error))) from None


def _faults(path: Path, where: str, error: ValidationError) -> list[str]:
    faults = []
    for fault in error.errors():
        key = ".".join(str(part) for part in fault["loc"])
        faults.append(f"{path}: {where}{'.' if where and key else ''}{key}: {fault['msg']}")
    return faults


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise EstimatorError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise EstimatorError(f"{path}: can't be read: {error}") from None
