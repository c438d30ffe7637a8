"""Where the data files lie: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

from estimator.errors import EstimatorError

_PACKAGE = Path(__file__).resolve().parent


def data_folder(name: str) -> Path:
    """Folder `heuristics`, `report_templates` or `sample_repos`.

    The checkout is asked first: an editable install may hold a stale copy inside the package.
    """
    checkout = _PACKAGE.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / name).is_dir():
        return checkout / name
    packaged = _PACKAGE / "_data" / name
    if packaged.is_dir():
        return packaged
    raise EstimatorError(f"{packaged}: the data folder '{name}' is missing; reinstall unwarp")
