"""Which imports are dependencies of a tree, and which mean the tree itself."""

from __future__ import annotations

from pathlib import Path

from estimator.knowledge import load_heuristics
from estimator.scan import scan
from estimator.sources import open_source


def dependencies(folder: Path, files: dict[str, str]) -> list[tuple[str, str]]:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    sites = scan(open_source(folder), load_heuristics()).sites
    return [(site.path, site.symbol) for site in sites if site.category == "framework-dependency"]


def test_a_module_beside_a_script_is_none(tmp_path: Path) -> None:
    files = {"tools/run.py": "import apex\nimport flash_attn\n", "tools/apex.py": "import torch\n"}
    assert dependencies(tmp_path, files) == [("tools/run.py", "flash_attn")]


def test_a_module_that_wraps_its_namesake_is_one(tmp_path: Path) -> None:
    files = {
        "src/own/utils/__init__.py": "",
        "src/own/utils/apex.py": "import apex\n",
        "src/own/utils/run.py": "import apex\n",
        "tools/apex.py": "import apex\n",
    }
    assert dependencies(tmp_path, files) == [
        ("src/own/utils/apex.py", "apex"),
        ("src/own/utils/run.py", "apex"),
        ("tools/apex.py", "apex"),
    ]
