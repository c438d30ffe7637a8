"""What required packages mean on AMD, from small tables made by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from estimator.findings.requirements import Fit, Requirement, Status, in_words, known_as, requirements
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Component, Heuristics, Package, Release, Support
from estimator.scan.sites import Pin
from estimator.sources.files import Owner, SourceFile, SourceTree

ROWS = (
    # version, ROCm, GPUs, prebuilt
    ("main (abc)", ">=6.3; gfx950 >=7.0", "gfx942; gfx950", "yes"),
    ("0.23.0", "7.14.0", "", "yes"),
    ("0.25.0", "10.1.0", "gfx942", "no"),
    ("0.14.0 to 0.18.0", "7.0", "gfx942; gfx115x", "yes"),
    ("0.11.0", "6.4.x", "gfx90a", "no"),
)
RELEASES = (("0.33.0", "2026-11-02"), ("0.23.0", "2026-06-13"), ("0.18.0", "2026-03-20"))


@cache
def shipped() -> Heuristics:
    return load_heuristics()


def tables(
    rows: tuple[tuple[str, str, str, str], ...] = ROWS, releases: tuple[tuple[str, str], ...] = RELEASES
) -> Heuristics:
    frameworks = [Support("Serve", *row, f"page {number}", "2026-01-02") for number, row in enumerate(rows)]
    lib = Component("cuLib", "cuLib", "math", "rocLib", "hipLib", "api-differs", "", "", "a page", "2026-03-01")
    return replace(
        shipped(),
        components={"cuLib": lib, "Bare": replace(lib, id="Bare", source="", as_of="")},
        frameworks=tuple(frameworks),
        releases=tuple(Release("Serve", version, day, "PyPI", "2026-12-01") for version, day in releases),
        packages=(
            Package("serve", "", "Serve", "", "", "", ""),
            Package("gone", "", "", "falls-away", "", "", ""),
            Package("open", "Bare", "", "", "", "", ""),
            Package("own", "cuLib", "", "source", "", "their page", "2026-02-01"),
            Package("nvidia-lib*", "cuLib", "", "absorbed", "", "", ""),
        ),
    )


def one(
    package: str = "serve", pinned: str = "", rocm: str = "10.0", gfx: str = "gfx942", **given: object
) -> Requirement:
    manager = str(given.pop("manager", "pip"))
    pin = Pin("requirements.txt", 3, package, pinned, manager)
    [found] = requirements([pin], given.pop("heuristics", None) or tables(**given), rocm, gfx, {})  # type: ignore[arg-type]
    return found


def test_the_newest_prebuilt_version_is_the_answer_and_a_newer_source_is_told() -> None:
    found = one()
    assert (found.status, found.newest_amd, found.newest_source, found.newest) == (
        Status.PREBUILT,
        "0.23.0",
        "0.25.0",
        "0.33.0",
    )
    assert (found.rocm, found.gfx, found.source, found.as_of) == ("7.14.0", "", "page 1", "2026-01-02")


def test_without_a_prebuilt_one_it_is_the_newest_source() -> None:
    found = one(rows=ROWS[2:3] + ROWS[4:])
    assert (found.status, found.newest_amd, found.newest_source, found.rocm) == (Status.SOURCE, "0.25.0", "", "10.1.0")


def test_a_row_that_does_not_say_how_it_is_built_leaves_that_open() -> None:
    found = one(rows=(("0.23.0", "7.0", "", ""),))
    assert (found.status, found.newest_amd) == (Status.NOT_KNOWN, "0.23.0")


@pytest.mark.parametrize(
    ("pinned", "build"),
    [
        ("==0.23.0", "prebuilt"),
        ("==0.15.1", "prebuilt"),
        ("==0.18.0.post1+cu121", "prebuilt"),
        ("==0.25.0", "source"),
        ("==0.11.0", "source"),
        ("==0.20.0", "not-known"),
        (">=0.12,<0.20", "prebuilt"),
        (">=0.24", "source"),
        (">=0.30", "not-known"),
        ("@ git+https://example.org/serve", "not-known"),
        ("", ""),
    ],
)
def test_whether_the_version_asked_for_has_a_build(pinned: str, build: str) -> None:
    assert one(pinned=pinned).pinned_build == build


@pytest.mark.parametrize(
    ("rows", "releases", "months"),
    [
        (ROWS, RELEASES, 4),  # 13 June to 2 November: not yet 5 whole months
        (ROWS, (("0.23.0", "2026-06-13"),), 0),
        ((("0.23.1", "7.0", "", "yes"),), RELEASES, 4),  # AMD's own patch of 0.23
        ((("0.22.0", "7.0", "", "yes"),), RELEASES, None),  # its release isn't dated
        (ROWS, (), None),
        ((("", "7.0", "", "yes"),), RELEASES, None),
    ],
)
def test_the_lag_is_between_two_dated_releases(
    rows: tuple[tuple[str, str, str, str], ...], releases: tuple[tuple[str, str], ...], months: int | None
) -> None:
    assert one(rows=rows, releases=releases).lag_months == months


@pytest.mark.parametrize(
    ("rocm", "gfx", "fit", "version"),
    [
        ("7.0", "gfx942", Fit.NAMED, "main (abc)"),
        ("10.1", "gfx1100", Fit.OTHER_ROCM, ""),  # the row without GPUs speaks of another release
        ("7.14", "gfx1100", Fit.RELEASE, "0.23.0"),
        ("6.4", "gfx90a", Fit.NAMED, "0.11.0"),
        ("7.0.2", "gfx1151", Fit.NAMED, "0.18.0"),
    ],
)
def test_the_target_is_looked_up(rocm: str, gfx: str, fit: Fit, version: str) -> None:
    found = one(rocm=rocm, gfx=gfx)
    assert (found.target, found.for_target) == (fit, version)


@pytest.mark.parametrize(
    ("row", "fit"),
    [
        (("1.0", "10.1.0", "gfx942", "yes"), Fit.NEWER_ROCM),
        (("1.0", "6.4", "gfx942", "yes"), Fit.OTHER_ROCM),
        (("1.0", "10.0.0", "gfx90a; gfx950", "yes"), Fit.OTHER_GFX),
        (("1.0", "10.0.0", "Instinct families", "yes"), Fit.RELEASE),
        (("1.0", "", "gfx942", "yes"), Fit.NOT_KNOWN),
        (("1.0", ">=6.3; gfx942 >=10.1", "gfx942", "yes"), Fit.NEWER_ROCM),
        (("1.0", "10.0.x", "gfx94x", "yes"), Fit.NAMED),
    ],
)
def test_a_build_for_another_target_says_so(row: tuple[str, str, str, str], fit: Fit) -> None:
    assert one(rows=(row,)).target is fit


@pytest.mark.parametrize(
    ("rows", "rocm", "gfx", "told"),
    [
        (ROWS, "10.0", "gfx942", "for ROCm 10.0 and gfx942: main (abc); 0.23.0 is for ROCm 7.14.0"),
        (ROWS[1:2], "7.14", "gfx942", "for ROCm 7.14, no GPU named: 0.23.0"),
        (ROWS[1:2], "10.0", "gfx942", "no build for ROCm 10.0 is named; 0.23.0 is for ROCm 7.14.0"),
        (
            ROWS[1:2],
            "6.4",
            "gfx942",
            "no build for ROCm 6.4 is named, only for newer releases; 0.23.0 is for ROCm 7.14.0",
        ),
        (ROWS[3:4], "7.0", "gfx90a", "no build for gfx90a is named; 0.18.0 is for ROCm 7.0 (gfx942, gfx115x)"),
        (
            (ROWS[1], ("", "7.2", "gfx942", "yes")),
            "7.2",
            "gfx942",
            "for ROCm 7.2 and gfx942: a build whose version is not named; 0.23.0 is for ROCm 7.14.0",
        ),
        ((("", "", "", "yes"),), "7.2", "gfx942", "for which ROCm it is built is not known"),
    ],
)
def test_the_words_never_lend_one_build_the_release_of_another(
    rows: tuple[tuple[str, str, str, str], ...], rocm: str, gfx: str, told: str
) -> None:
    assert in_words(one(rows=rows, rocm=rocm, gfx=gfx), rocm, gfx) == told


def test_where_no_row_speaks_the_package_does() -> None:
    assert one("nvidia-lib-cu12").status is Status.ABSORBED
    assert (one("nvidia-lib-cu12").component, one("nvidia-lib-cu12").source) == ("cuLib", "a page")
    assert (one("own").status, one("own").source, one("own").as_of) == (Status.SOURCE, "their page", "2026-02-01")
    assert one("gone").status is Status.FALLS_AWAY


def test_not_known_is_an_answer() -> None:
    for name in ("open", "never-heard-of"):
        found = one(name, "==1.0")
        assert (found.status, found.newest_amd, found.lag_months, found.source) == (Status.NOT_KNOWN, "", None, "")


def test_a_crate_is_not_looked_up_among_packages() -> None:
    assert one("serve", manager="cargo").status is Status.NOT_KNOWN


def test_only_own_code_that_takes_part_counts_in_the_order_of_places() -> None:
    pins = [
        Pin("b.txt", 2, "serve", "", "pip"),
        Pin("b.txt", 1, "gone", "", "pip"),
        Pin("a.txt", 9, "own", "", "pip", owner=Owner.TEST),
        Pin("third_party/a.txt", 1, "serve", "", "pip", owner=Owner.VENDORED),
        Pin("old.txt", 1, "serve", "", "pip"),
    ]
    found = requirements(pins, tables(), "10.0", "gfx942", {"old.txt": "gone soon"})
    assert [(each.path, each.line) for each in found] == [("a.txt", 9), ("b.txt", 1), ("b.txt", 2)]


def test_the_shipped_tables_tell_what_their_sources_say() -> None:
    torch = one("torch", "==2.4.0+cu121", heuristics=shipped())
    assert (torch.status, torch.pinned_build, torch.newest, torch.newest_amd) == (
        Status.PREBUILT,
        "prebuilt",
        "2.15.0",
        "2.11.0",
    )
    assert torch.lag_months == 7
    flash = one("flash-attn", "==2.6.3", gfx="gfx1100", heuristics=shipped())
    assert (flash.status, flash.target, flash.lag_months) == (Status.SOURCE, Fit.OTHER_GFX, None)
    assert one("flashinfer-python", rocm="6.3", heuristics=shipped()).target is Fit.NEWER_ROCM


def told(name: str, **files: str) -> list[str]:
    """Names under which the shipped tables know a project. files: "pyproject__toml" for pyproject.toml."""
    made = (SourceFile(path.replace("__", "."), text, Owner.OWN, "", ".") for path, text in files.items())
    known = known_as(SourceTree(name, tuple(made), (), ()), shipped().packages, shipped().components)
    return [package for package, _ in known]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("gsplat-1.5.3", ["gsplat"]),
        ("Flash_Attn-2.8.3.post2", ["flash-attn"]),
        ("flashinfer_python-0.7.4", ["flashinfer"]),
        ("cupy-cuda12x-v14.2.0", ["cupy"]),
        ("flash-attn-3", ["flash-attn-3"]),
        ("gsplat-2-viewer", []),
        ("bitsandbytes-main", ["bitsandbytes"]),
        ("gsplat-viewer", []),
        ("cuda", []),
        ("", []),
    ],
)
def test_a_project_is_known_by_the_name_of_its_folder(name: str, known: list[str]) -> None:
    assert told(name) == known


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject__toml", '[[tool.uv.index]]\nname = "torch"\n[project]\ndynamic = []\nname = "gsplat"\n'),
        ("pyproject__toml", '[tool.poetry]\nname="gsplat"\n'),
        ("setup__cfg", "[metadata]\nname = gsplat\n"),
        ("setup__py", 'name = "torch"\nsetup(\n    version="1",\n    name="gsplat",\n)\n'),
        ("setup__py", 'setup(name="gsplat", version="1")\n'),
    ],
)
def test_a_project_is_known_by_what_its_build_says(file: str, text: str) -> None:
    assert told("code", **{file: text}) == ["gsplat"]


def test_a_project_of_two_names_for_one_thing_is_told_once() -> None:
    assert told("flash-attention-main", setup__py='setup(name="flash_attn")\n') == ["flash-attention"]
    assert told("code", pyproject__toml='[project]\ndependencies = []\n[[tool.uv.index]]\nname = "torch"\n') == []
