"""CUDA sources that build files name and that are not in the tree."""

from __future__ import annotations

from estimator import assess
from estimator.errors import Trouble
from estimator.knowledge import load_heuristics
from estimator.scan import scan
from estimator.sources.files import Owner, SourceFile, SourceTree

SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension
files = ["csrc/listed.cu"]
name = old.replace("part.cu", "part.hip")
setup(ext_modules=[
    CUDAExtension("own._C", sources=[
        "csrc/bind.cpp",
        "csrc/here.cu",
        "alone.cu",
        f"csrc/{kind}.cu",
        "csrc/*.cu",
    ] + files),
])
"""
CMAKE = """
add_library(own STATIC here.cu gone.cu
  ../shared/there.cu ${DIR}/other.cu made.cu)
target_sources(own PRIVATE drawn.cu)
add_custom_command(OUTPUT made.cu COMMAND writer)
install(FILES lost.cuh DESTINATION include)
"""


def missing(files: dict[str, str], owner: Owner = Owner.OWN, unread: str = "") -> list[tuple[str, int]]:
    listed = tuple(SourceFile(path, text, owner, "", ".") for path, text in sorted(files.items()))
    troubles = (Trouble(unread, "read", "no"),) if unread else ()
    found = scan(SourceTree("own", listed, (), troubles), load_heuristics()).missing
    return [(one.name, one.line) for one in found]


def test_what_an_extension_is_made_of_and_the_tree_lacks() -> None:
    files = {"setup.py": SETUP, "csrc/here.cu": "", "csrc/bind.cpp": ""}
    assert missing(files) == [("csrc/listed.cu", 4), ("alone.cu", 7)]


def test_what_cmake_compiles_and_the_tree_lacks() -> None:
    files = {"lib/CMakeLists.txt": CMAKE, "lib/here.cu": "", "shared/there.cu": "", "lib/drawn.cu.in": ""}
    assert missing(files) == [("gone.cu", 2)]


def test_builds_run_in_folders_of_their_own() -> None:
    assert missing({"setup.py": SETUP, "src/csrc/here.cu": "", "src/csrc/listed.cu": "", "x/alone.cu": ""}) == []


def test_what_is_there_and_can_t_be_read_is_not_missing() -> None:
    assert missing({"CMakeLists.txt": "add_library(own gone.cu)"}, unread="gone.cu") == []


def test_only_the_project_s_own_builds_count() -> None:
    assert missing({"CMakeLists.txt": "add_library(own gone.cu)"}, Owner.VENDORED) == []


def test_an_assessment_says_so_and_is_fair_at_best() -> None:
    tree = SourceTree("own", (SourceFile("setup.py", SETUP, Owner.OWN, "", "."),), (), ())
    reliability = assess(tree).reliability
    assert reliability.level == "fair"
    assert reliability.gaps[0].startswith("3 CUDA sources that build files name are not here: csrc/listed.cu, alone.cu")
