"""The Python interface: lazy, typed, and as its docstring shows."""

from __future__ import annotations

import doctest
import subprocess
import sys

import estimator


def test_the_docstring_runs() -> None:
    result = doctest.testmod(estimator, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0


def test_every_public_name_is_there() -> None:
    for name in estimator.__all__:
        assert getattr(estimator, name) is not None


def test_importing_costs_nothing() -> None:
    heavy = ("numpy", "pandas", "pydantic", "matplotlib", "weasyprint", "rich", "jinja2", "tree_sitter", "re2")
    code = f"import sys, estimator, estimator.cli; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(estimator, "nothing_of_the_kind")
