"""One module a language: its files, and the facts that stand in a text.

Every module gives `read(path, text, harvest) -> Reading`. To add a language, write its module and its
line in `LANGUAGES`; the first line that fits a path wins.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate

from estimator.languages.facts import NOTHING_HARVESTED, Harvest, Reading


@dataclass(frozen=True, slots=True)
class Language:
    """A language by its files. module: in this folder. patterns: globs for the lower-case file name, with one
    folder before it where they hold a slash."""

    name: str
    module: str
    patterns: tuple[str, ...]


LANGUAGES = (
    Language("make", "make", ("makefile", "makefile.*", "gnumakefile", "*.mk", "*.mak", "makefile.am", "makefile.in")),
    Language("cuda", "c_family", ("*.cu", "*.cuh", "*.cu.in", "*.cuh.in", "*.cu.j2", "*.cuh.j2", "*.cu.jinja")),
    Language("hip", "c_family", ("*.hip", "*.hip.cpp", "*.hip.h", "*.hiph")),
    Language(
        "cpp",
        "c_family",
        (
            *("*.c", "*.cc", "*.cpp", "*.cxx", "*.h", "*.hh", "*.hpp", "*.hxx", "*.inl", "*.ipp", "*.tpp", "*.inc"),
            *("*.def", "*.h.in", "*.hpp.in", "*.cpp.in", "*.cpp.j2", "*.h.j2"),
        ),
    ),
    Language(
        "requirements",
        "requirements",
        ("*requirements*.txt", "*constraints*.txt", "requirements*.in", "requirements/*.txt", "requirements/*.in"),
    ),
    Language("cmake", "cmake", ("cmakelists.txt", "*.cmake", "*.cmake.in")),
    Language("python", "python", ("*.py", "*.pyi", "*.pyx", "*.pxd", "*.bzl")),
    Language("notebook", "notebook", ("*.ipynb",)),
    Language("toml", "toml_files", ("pyproject.toml", "cargo.toml", "pixi.toml", "poetry.lock", "uv.lock", "pdm.lock")),
    Language(
        "dockerfile", "dockerfile", ("dockerfile", "dockerfile.*", "*.dockerfile", "containerfile", "*.def.apptainer")
    ),
    Language("yaml", "yaml_files", ("*.yaml", "*.yml", "*.yaml.j2", "*.yml.j2", "*.tpl")),
    Language("autotools", "autotools", ("configure.ac", "configure.in", "*.m4")),
    Language("bazel", "bazel", ("build", "build.bazel", "workspace", "workspace.bazel", "module.bazel", ".bazelrc")),
    Language("meson", "meson", ("meson.build", "meson_options.txt")),
    Language("shell", "shell", ("*.sh", "*.bash", "*.sbatch", "*.slurm", "*.zsh", "*.env", "*.csh")),
    Language("lines", "lines", ("*.f90", "*.f", "*.f03", "*.f08", "*.cuf", "*.jl", "*.rs", "*.go", "*.cs", "*.java")),
    Language("ptx", "ptx_files", ("*.ptx", "*.cubin", "*.fatbin")),
    Language("text", "text_files", ("*.txt", "*.cl", "*.tmpl", "*.template", "*.in", "*.j2")),
)


def language_of(path: str) -> Language | None:
    """The language of a path by its file name, None for files that no language reads."""
    parts = path.lower().rsplit("/", 2)
    name, placed = parts[-1], "/".join(parts[-2:])
    for language, in_name, with_folder in _FITTING:
        if in_name.match(name) or (with_folder is not None and with_folder.match(placed)):
            return language
    return None


def _fitting(patterns: Iterable[str]) -> re.Pattern[str] | None:
    """One expression for several globs, None for none."""
    expressions = [translate(pattern) for pattern in patterns]
    return re.compile("|".join(expressions)) if expressions else None


_NOTHING = re.compile(r"(?!)")
_FITTING = tuple(
    (
        language,
        _fitting(pattern for pattern in language.patterns if "/" not in pattern) or _NOTHING,
        _fitting(pattern for pattern in language.patterns if "/" in pattern),
    )
    for language in LANGUAGES
)


def read(language: Language, path: str, text: str, harvest: Harvest = NOTHING_HARVESTED) -> Reading:
    """All facts of a text, in the order of their lines."""
    module = importlib.import_module(f"estimator.languages.{language.module}")
    reading: Reading = module.read(path, text, harvest)
    return reading
