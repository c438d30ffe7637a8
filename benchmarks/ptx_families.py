"""Does every PTX instruction of real packages find its family?

    python benchmarks/ptx_families.py [--families] corpus/vllm-0.33.0.tar.gz corpus/flash_attn-2.8.3.post2.tar.gz …

Read as the tool reads them, but vendored, generated and large files too: each asm statement that
`estimator.scan.assembly` takes for PTX, which leaves out assembly of hosts and of AMD, and in Python the texts inside
calls of `inline_asm` and `inline_asm_elementwise`. Per package: statements, instructions, the share that finds a
family, and what finds none. --families: also the distinct instructions of each family over all packages, for reading
whether they belong there. Archives are read as streams; of files without the word "asm" nothing but that is read.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path

from estimator import languages
from estimator.knowledge.ptx import family_of, load_ptx
from estimator.knowledge.values import PtxFamily
from estimator.languages.facts import FactKind, Reading
from estimator.languages.ptx import instructions
from estimator.resources import data_folder
from estimator.scan.assembly import as_ptx
from estimator.sources.archive import members_of
from estimator.sources.decode import Binary, decode
from estimator.sources.members import DEFAULT_LIMITS, Raw

# The largest of the packages holds more, and larger files, than a scan would read.
LIMITS = replace(DEFAULT_LIMITS, file_bytes=50_000_000, total_bytes=10_000_000_000, entries=1_000_000)
AT_ONCE = 256  # files in memory
NOTHING = "(nothing but pasted parts)"
_IN_PYTHON = re.compile(r"(?:^|\.)inline_asm(?:_elementwise)?$")
_STATEMENT = re.compile(r"[a-z]\w*\.[a-z]\w*|;")  # constraints such as "=r,f" have neither


@dataclass(slots=True)
class Count:
    """Instructions of one package by family, and those without one."""

    statements: int = 0
    families: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    unknown: Counter[str] = field(default_factory=Counter)

    def add(self, other: Count) -> None:
        self.statements += other.statements
        self.unknown += other.unknown
        for family, names in other.families.items():
            self.families[family] += names

    @property
    def known(self) -> int:
        return sum(names.total() for names in self.families.values())


def files(path: Path) -> Iterator[list[Raw]]:
    """The files of an archive that hold the word and that some language reads, some at a time."""
    found = (
        member
        for member in members_of(path, LIMITS)
        if isinstance(member, Raw) and b"asm" in member.content and languages.language_of(member.path)
    )
    while some := list(islice(found, AT_ONCE)):
        yield some


def statements(file: Raw, families: tuple[PtxFamily, ...]) -> list[tuple[str, ...]]:
    """The instructions of each PTX statement of a file."""
    language, decoded = languages.language_of(file.path), decode(file.content)
    if language is None or isinstance(decoded, Binary):
        return []
    reading = languages.read(language, file.path, decoded.text)
    return [*_of_asm(reading, families), *_of_python(reading)]


def _of_asm(reading: Reading, families: tuple[PtxFamily, ...]) -> Iterator[tuple[str, ...]]:
    for fact in reading.facts:
        if fact.kind is FactKind.ASM and reading.language != "hip" and as_ptx(fact, families, reading.language):
            yield tuple(fact.detail.split(" | ")) if fact.detail else (NOTHING,)


def _of_python(reading: Reading) -> Iterator[tuple[str, ...]]:
    calls = [f for f in reading.facts if f.kind is FactKind.CALL and _IN_PYTHON.search(f.text)]
    texts = [f for f in reading.facts if calls and f.kind is FactKind.STRING and _STATEMENT.search(f.text)]
    for call in calls:
        inside = [text for text in texts if call.line <= text.line and text.end_line <= call.end_line]
        found = [opcode for text in inside for opcode in instructions(text.text)]
        if found:
            yield tuple(found)


def counted(file: Raw, families: tuple[PtxFamily, ...]) -> Count:
    count = Count()
    for statement in statements(file, families):
        count.statements += 1
        for instruction in statement:
            family = family_of(instruction, families)
            names = count.families[family.id] if family else count.unknown
            names[instruction] += 1
    return count


def show(name: str, count: Count) -> None:
    total = count.known + count.unknown.total()
    share = count.known / total if total else 1.0
    print(
        f"{name}: {count.statements} statements, {total} instructions, {count.known} find a family ({share:.2%}), "
        f"{len(count.families)} families, {sum(map(len, count.families.values()))} distinct"
    )
    for instruction, times in count.unknown.most_common():
        print(f"  unknown {times:5d}  {instruction}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", type=Path, metavar="ARCHIVE")
    parser.add_argument("--families", action="store_true", help="print the distinct instructions of each family")
    asked = parser.parse_args()
    families = load_ptx(data_folder("heuristics") / "ptx.toml")
    together = Count()
    with ProcessPoolExecutor() as pool:
        for archive in asked.archives:
            of_package = Count()
            for some in files(archive):
                for count in pool.map(partial(counted, families=families), some, chunksize=8):
                    of_package.add(count)
            show(archive.name, of_package)
            together.add(of_package)
    show("all", together)
    for family, names in sorted(together.families.items() if asked.families else ()):
        print(f"  {family}: {names.total()}, {len(names)} distinct")
        for instruction, times in names.most_common():
            print(f"    {times:7d}  {instruction}")


if __name__ == "__main__":
    main()
