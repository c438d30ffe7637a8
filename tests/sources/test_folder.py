"""Folders: what is read, what is left out, and that nothing leads out of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from estimator.errors import NOT_MEASURED, WRONG_INPUT, EstimatorError
from estimator.sources import Limits, open_source
from estimator.sources.files import SourceTree

KERNEL = "__global__ void f() {}\n"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def paths(tree: SourceTree) -> list[str]:
    return [file.path for file in tree.files]


def skipped(tree: SourceTree) -> dict[str, tuple[str, ...]]:
    return {group.reason.split(":")[0].split(" (")[0]: group.examples for group in tree.skipped}


def test_files_are_sorted_and_others_counted(tmp_path: Path) -> None:
    write(tmp_path, {"b.cu": KERNEL, "a/c.py": "import torch\n", "logo.svg": "<svg/>", "a/d.csv": "1,2\n"})
    tree = open_source(tmp_path)
    assert paths(tree) == ["a/c.py", "b.cu"]
    assert tree.name == tmp_path.name
    assert [(group.reason, group.files, group.bytes) for group in tree.skipped] == [("not a source file", 2, 10)]
    assert tree.troubles == ()


def test_links_are_never_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"secret.cu": KERNEL})
    root = write(tmp_path / "root", {"a.cu": KERNEL})
    (root / "out").symlink_to(outside)
    (root / "loop").symlink_to(root)
    (root / "b.cu").symlink_to(outside / "secret.cu")
    (root / "broken.cu").symlink_to("nowhere")
    tree = open_source(root)
    assert paths(tree) == ["a.cu"]
    assert skipped(tree)["symbolic link or special file, never followed"] == ("b.cu", "broken.cu", "loop", "out")


def test_a_fifo_does_not_hang(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": KERNEL})
    os.mkfifo(tmp_path / "pipe.cu")
    assert paths(open_source(tmp_path)) == ["a.cu"]


def test_nested_gitignore_files(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "build/\n*.gen.cu\n/only_root.cu\n",
            "build/a.cu": KERNEL,
            "src/build/b.cu": KERNEL,
            "x.gen.cu": KERNEL,
            "src/.gitignore": "!keep.gen.cu\nlocal.cu\n",
            "src/keep.gen.cu": KERNEL,
            "src/other.gen.cu": KERNEL,
            "src/local.cu": KERNEL,
            "only_root.cu": KERNEL,
            "src/only_root.cu": KERNEL,
            "local.cu": KERNEL,
        },
    )
    tree = open_source(tmp_path)
    assert paths(tree) == ["local.cu", "src/keep.gen.cu", "src/only_root.cu"]
    assert skipped(tree)["ignored by .gitignore"] == (
        "build",
        "only_root.cu",
        "src/build",
        "src/local.cu",
        "src/other.gen.cu",
    )


def test_a_hostile_gitignore_costs_nothing(tmp_path: Path) -> None:
    write(
        tmp_path,
        {".gitignore": "\n".join(["*a" * 60 + "b", "[z-a]", "!", "[[:foo:]]", "\\"]), "a" * 200 + ".cu": KERNEL},
    )
    assert len(open_source(tmp_path).files) == 1


def test_exclude_is_written_as_in_a_gitignore(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": KERNEL, "old/b.cu": KERNEL, "src/c_test.cu": KERNEL})
    tree = open_source(tmp_path, exclude=("old/", "*_test.cu"))
    assert paths(tree) == ["a.cu"]
    with pytest.raises(EstimatorError, match=r"--exclude !: not a pattern"):
        open_source(tmp_path, exclude=("!",))


def test_tool_folders_are_left_out(tmp_path: Path) -> None:
    write(
        tmp_path, {"a.cu": KERNEL, ".git/b.cu": KERNEL, "node_modules/c.py": "", "env/pyvenv.cfg": "", "env/d.py": ""}
    )
    tree = open_source(tmp_path)
    assert paths(tree) == ["a.cu"]
    assert skipped(tree)["folder of a tool"] == (".git", "env", "node_modules")


def test_large_minified_and_binary_files(tmp_path: Path) -> None:
    write(
        tmp_path, {"a.cu": KERNEL, "big.cu": KERNEL * 100, "third_party/big.cu": KERNEL * 100, "long.h": "int a;" * 200}
    )
    (tmp_path / "data.h").write_bytes(b"\0\1\2")
    (tmp_path / "k.cubin").write_bytes(b"\x7fELF\0")
    (tmp_path / "big.ptx").write_text("// .version 8.0\n" * 1000)
    tree = open_source(tmp_path, limits=Limits(file_bytes=1500))
    assert [(file.path, file.text) for file in tree.files] == [("a.cu", KERNEL), ("big.ptx", ""), ("k.cubin", "")]
    assert skipped(tree) == {
        "binary file": ("data.h",),
        "larger than 0.0015 MB": ("big.cu", "third_party/big.cu"),
        "minified or data": ("long.h",),
    }
    assert [(trouble.path, trouble.size) for trouble in tree.troubles] == [("big.cu", 2300), ("long.h", 1200)]


def test_names_that_could_do_harm_are_shown_escaped(tmp_path: Path) -> None:
    hostile = [
        b"a\nb.cu",
        b"\x1b[31m.cu",
        b"caf\xe9.cu",
        "\u202eevil.cu".encode(),
        b"<img onerror=x>.cu",
        b"back\\slash.cu",
    ]
    for name in hostile:
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).write_text(KERNEL)
    assert set(paths(open_source(tmp_path))) == {
        "a\\x0ab.cu",
        "\\x1b[31m.cu",
        "caf\\xe9.cu",
        "\\u202eevil.cu",
        "<img onerror=x>.cu",
        "back\\x5cslash.cu",
    }


def test_caps_on_depth_entries_and_bytes(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": KERNEL, "1/2/3/b.cu": KERNEL})
    tree = open_source(tmp_path, limits=Limits(depth=2))
    assert paths(tree) == ["a.cu"]
    assert tree.troubles[0].path == "1/2/3"
    for limits in (Limits(entries=3), Limits(total_bytes=30)):
        with pytest.raises(EstimatorError, match="more than") as caught:
            open_source(tmp_path, limits=limits)
        assert caught.value.code == NOT_MEASURED


def test_one_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": KERNEL, "b.cu": KERNEL})
    tree = open_source(tmp_path / "a.cu")
    assert (tree.name, paths(tree)) == ("a.cu", ["a.cu"])


def test_wrong_paths(tmp_path: Path) -> None:
    with pytest.raises(EstimatorError, match="no such file or folder; give a folder") as caught:
        open_source(tmp_path / "nowhere")
    assert caught.value.code == WRONG_INPUT
    with pytest.raises(EstimatorError, match="no readable source: nothing is in it") as caught:
        open_source(tmp_path)
    assert caught.value.code == NOT_MEASURED
    write(tmp_path, {"logo.svg": "<svg/>"})
    with pytest.raises(EstimatorError, match="no readable source: 1 not a source file"):
        open_source(tmp_path)


def test_the_tree_is_only_read(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": KERNEL, "src/b.cu": KERNEL})
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    open_source(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_names_do_not_depend_on_the_locale(tmp_path: Path) -> None:
    write(tmp_path, {"größe.cu": KERNEL, "z.cu": KERNEL, "日本/a.cu": KERNEL})
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.cu"))).write_text(KERNEL)
    code = "import sys; from pathlib import Path; from estimator.sources import open_source\n"
    code += "print(ascii([file.path for file in open_source(Path(sys.argv[1])).files]))"
    told = {
        subprocess.run(
            [sys.executable, "-c", code, tmp_path], env=os.environ | changed, capture_output=True, text=True, check=True
        ).stdout
        for changed in ({"LC_ALL": "C", "PYTHONUTF8": "0"}, {"LC_ALL": "C.UTF-8"})
    }
    assert told == {ascii(["caf\\xe9.cu", "größe.cu", "z.cu", "日本/a.cu"]) + "\n"}
