"""A stranger's tree, from end to end: nothing executed, nothing fetched, nothing changed, nothing unescaped."""

from __future__ import annotations

import hashlib
import os
import socket
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner

from estimator.cli import cli

KERNEL = '__global__ void f(float *x) { asm volatile("ld.global.f32 %0, [%1];"); }\n'


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    root = tmp_path / "code"
    marker = tmp_path / "executed"
    (root / "heuristics/rules").mkdir(parents=True)
    for name in (
        "<img src=x onerror=alert(1)>.cu",
        "a\x1b[31m\nb.cu",
        "=cmd()|'x'.cu",
        os.fsdecode(b"\xff\xfe.cu"),
        "\u202egnp.cu",
    ):
        (root / name).write_text(KERNEL)
    (root / "evil.cu").write_text(KERNEL + "// </script><script>alert(1)</script> {{ 7 * 7 }}\n")
    (root / "deep.cu").write_text("(\n" * 20_000)
    (root / "random.cu").write_bytes(hashlib.shake_256(b"seed").digest(20_000).replace(b"\0", b"x"))
    (root / "heuristics/rules/evil.toml").write_text("not = [toml")
    (root / "scenario.toml").write_text("price_now = 'evil'\n")
    (root / "setup.py").write_text(f"open({str(marker)!r}, 'w')\n")
    (root / "conftest.py").write_text(f"open({str(marker)!r}, 'w')\n")
    (root / "bomb.yaml").write_text(
        "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    )
    (root / "loop").symlink_to(root)
    (root / "out.cu").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe.cu")
    return root


def digest(root: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(root.rglob("*"), key=os.fsencode):
        whole.update(os.fsencode(path))
        if path.is_file() and not path.is_symlink():
            whole.update(path.read_bytes())
    return whole.hexdigest()


def no_network(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a socket was opened")


def test_a_hostile_tree(hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "socket", no_network)
    monkeypatch.chdir(hostile)
    monkeypatch.syspath_prepend(str(tmp_path))
    before, modules = digest(hostile), set(sys.modules)
    out = tmp_path / "out"
    result = CliRunner().invoke(cli, ["report", ".", "-o", str(out), "--format", "html,json,csv"])
    assert result.exit_code == 0, result.output
    assert digest(hostile) == before
    assert not (tmp_path / "executed").exists()
    assert not {name for name in set(sys.modules) - modules if name in ("setup", "conftest")}
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<img src=x" not in page
    assert "<script>alert" not in page
    for file in out.iterdir():
        text = file.read_text(encoding="utf-8")
        assert not {character for character in text if character in "\x00\x1b\u202e"}, file.name
        assert "root:" not in text
