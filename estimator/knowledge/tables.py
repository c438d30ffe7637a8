"""Reading the files of `heuristics/`: TOML and CSV with errors that say where, what and what to do."""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rtoml

from estimator.errors import EstimatorError, shown

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

M = TypeVar("M", bound="BaseModel")

_LARGEST = 4_000_000  # bytes
_DEEPEST = 32  # tables and lists in each other
_NAMED = 8  # of these, how many a message names
_MOST = 60  # characters of a name or value in a message


def read_toml(path: Path) -> dict[str, Any]:
    """The file as a dictionary. A file that can't be read or parsed is an error with its line.

    So is one that nests deeper than any of ours, or holds a number that no TOML reader must take.
    """
    text = read_text(path)
    try:
        table = rtoml.loads(text)
    except rtoml.TomlParsingError as error:
        if "recurs" in str(error):
            raise EstimatorError(f"{path}: nested too deeply to be read") from None
        raise EstimatorError(f"{path}: not valid TOML: {shown(str(error))}") from None
    _check_values(path, table)
    return table


def _check_values(path: Path, table: Mapping[str, Any]) -> None:
    """Bounds that `rtoml` doesn't set: how deep tables lie in each other, and whole numbers of 64 bits."""
    open_values: list[tuple[str, int, Any]] = [("", 0, table)]
    while open_values:
        key, depth, value = open_values.pop()
        if depth > _DEEPEST:
            raise EstimatorError(f"{path}: {shown(key, _MOST)}: nested too deeply to be read")
        if isinstance(value, dict):
            dot = f"{key}." if key else ""
            open_values += [
                (f"{dot}{name}" if depth < _NAMED else key, depth + 1, item)
                for name, item in value.items()
                if not isinstance(item, str)  # nearly all of them
            ]
        elif isinstance(value, list):
            open_values += [(key, depth + 1, item) for item in value if not isinstance(item, str)]
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise EstimatorError(f"{path}: {shown(key, _MOST)}: a number of too many digits")


def read_csv(path: Path, columns: tuple[str, ...]) -> list[dict[str, str]]:
    """Rows by column name; lines that begin with "#" are comments.

    Missing columns are an error, and so is a cell that is longer than any reader of such files would take.
    """
    lines = [line for line in read_text(path).splitlines() if not line.startswith("#")]
    reader = csv.DictReader(io.StringIO("\n".join(lines)))
    try:
        missing = [name for name in columns if name not in (reader.fieldnames or [])]
        rows = list(reader)
    except csv.Error as error:
        raise EstimatorError(f"{path}: not a table of cells: {shown(str(error))}; is a quote left open?") from None
    if missing:
        raise EstimatorError(f"{path}: column '{missing[0]}' is missing; columns needed: {', '.join(columns)}")
    return rows


def read_rows(path: Path, columns: tuple[str, ...], key: str, needed: str, faults: list[str]) -> Iterator[list[str]]:
    """The cells of each row, in the order of the columns.

    A row that is shorter or longer than the header, or without a cell in the column `key`, is added to the faults
    instead. needed: what such a row lacks.
    """
    for row in read_csv(path, columns):
        cells = [text.strip() for column in columns if (text := row[column]) is not None]
        if len(row) == len(cells) == len(columns) and row[key].strip():
            yield cells
        else:
            faults.append(f"{path}: row '{row[key]}': {needed} are needed")


def read_tables(path: Path, form: str, faults: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tables of a TOML file by name; what stands outside of them is added to the faults, with the right form."""
    for key, entry in read_toml(path).items():
        if isinstance(entry, dict):
            yield key, entry
        else:
            faults.append(f"{path}: {shown(key, 60)}: stands outside a table; {form}")


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
    faults, where = [], shown(where, _MOST)
    for fault in error.errors():
        key = ".".join(shown(str(part), _MOST) for part in fault["loc"])
        faults.append(f"{path}: {where}{'.' if where and key else ''}{key}: {in_words(fault)}")
    return faults


def in_words(fault: Mapping[str, Any]) -> str:
    """A fault that pydantic found, in words of the file: what is wrong there, and what stands there."""
    context = fault.get("ctx", {})
    kind, value = fault["type"], fault.get("input")
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "no such key is known here"
        case "value_error":
            return shown(str(fault["msg"]).removeprefix("Value error, "))
        case "literal_error" | "enum":
            return f"must be {context['expected']}{_given(value)}"
        case "string_too_short" | "too_short":
            return "must not be empty"
        case "string_pattern_mismatch":
            return f"must be of the form {context['pattern']}{_given(value)}"
    if bound := _BOUNDS.get(kind):
        words, name = bound
        return f"must be {words} {context[name]:g}{_given(value)}"
    if words := next((words for ending, words in _TYPES if kind.endswith(ending)), ""):
        return f"must be {words}{_given(value)}"
    return f"{fault['msg']}{_given(value)}"


_BOUNDS = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
}
# By the end of pydantic's names, which have several beginnings: int_type, int_from_float, int_parsing.
_TYPES = (
    ("model_type", "a table"),
    ("dict_type", "a table"),
    ("mapping_type", "a table"),
    ("list_type", "a list"),
    ("tuple_type", "a list"),
    ("string_type", "text in quotes"),
    ("bool_type", "true or false"),
    ("bool_parsing", "true or false"),
    ("finite_number", "a finite number"),
    ("int_type", "a whole number"),
    ("int_from_float", "a whole number"),
    ("int_parsing", "a whole number"),
    ("float_type", "a number"),
    ("float_parsing", "a number"),
)


def _given(value: Any) -> str:
    """What stands there, in the file's own spelling and not too long; nothing for tables and lists."""
    match value:
        case dict() | list() | None:
            return ""
        case bool():
            return f" (given: {str(value).lower()})"
        case str():
            return f" (given: '{shown(value, _MOST)}')"
        case _:
            return f" (given: {shown(str(value), _MOST)})"


def read_text(path: Path) -> str:
    """A regular file of a bearable size, as UTF-8 with or without a mark; whatever else it is isn't read at all."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise EstimatorError(f"{path}: not a file")
            if status.st_size > _LARGEST:
                raise EstimatorError(f"{path}: larger than {_LARGEST / 1e6:g} MB, as no such file is")
            content = file.read()
    except FileNotFoundError:
        raise EstimatorError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise EstimatorError(f"{path}: a folder, not a file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise EstimatorError(f"{path}: can't be read: {getattr(error, 'strerror', error)}") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise EstimatorError(f"{path}:{line}: not valid UTF-8; save the file as UTF-8") from None


def _without_waiting(path: str, flags: int) -> int:
    """Open without waiting for a writer, as a FIFO would have it."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
