"""Reading declarations, and the build of a catalogue from packages made here."""

from __future__ import annotations

import io
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge.catalogue import load_catalogue
from estimator.knowledge.catalogue_build import build
from estimator.resources import data_folder

MANIFEST = """
date = "2026-11-30"
generations = ["11.8", "13.5"]
may_fall = 0.1
hip_names = '^hip'
left_out = '_pts?z$'
tags = '_enum$'

[[package]]
name = "old-headers"
version = "11.8"
role = "cuda"
library = "CUDA-Runtime"
release = "11.8"
files = 'runtime\\.h$'

[[package]]
name = "old-headers"
version = "11.8"
role = "cuda"
library = "CUDA-Driver"
release = "11.8"
files = 'driver\\.h$'

[[package]]
name = "new-headers"
version = "13.5"
role = "cuda"
library = "CUDA-Runtime"
release = "13.5"
files = 'runtime\\.h$'

[[package]]
name = "new-headers"
version = "13.5"
role = "cuda"
library = "CUDA-Driver"
release = "13.5"
files = 'driver\\.h$'

[[package]]
name = "old-hip"
version = "6.2"
role = "hip"
release = "6.2"
files = '\\.pxd$'

[[package]]
name = "new-hip"
version = "10.0"
role = "hip"
release = "10.0"
files = '\\.pxd$'

[[package]]
name = "hip-templates"
version = "7.1"
role = "hip-header"
release = "7.1"
files = '\\.h$'
off = ["NOT_BUILT"]

[[package]]
name = "libold-dev"
version = "5.2-1"
registry = "debian"
role = "hip-header"
release = "5.2"
files = '\\.h$'

[[package]]
name = "framework"
version = "2.0"
role = "candidates"
release = "2.0"
files = 'table\\.py$'

[[package]]
name = "aliases"
version = "10.0"
role = "interop"
release = "10.0"
files = '\\.pxd$'

[[library]]
id = "CUDA-Runtime"
file = "runtime.csv"
names = '^(cuda|CUDART_)[A-Z]'
renames = [['^cuda', 'hip']]
guess = "renamed"
otherwise = "none"
older = true

[[library]]
id = "CUDA-Driver"
file = "driver.csv"
names = '^cu[A-Z]'
renames = [['^cu', 'hip']]
guess = "verify"
otherwise = "none"

[[listed]]
library = "CUDA-Runtime"
names = ["cudaWrong"]
rename = ['^cudaWrong$', 'hipRight']
status = "renamed-arguments-differ"
why = "checked by a person"

[[listed]]
library = "CUDA-Runtime"
match = '^CUDART_'
rename = ['^CUDART', 'HIP']
status = "renamed"
since = ""
why = "by rule"
"""

WHEELS = {
    "old_headers-11.8": {
        "runtime.h": """
            /* cudaCommented(int); */
            #define CUDART_ONE 1.0
            #define CUDART_GUARD
            typedef enum cudaKind_enum { cudaKindFirst = 0, /* cudaNone, */ cudaKindLast } cudaKind;
            extern cudaError_t CUDARTAPI cudaAlloc(void **p, size_t size);
            extern cudaError_t CUDARTAPI cudaGone(int a);
            extern cudaError_t CUDARTAPI cudaOther(int a, int b);
        """,
        "driver.h": "CUresult CUDAAPI cuCopy(int a);",
    },
    "new_headers-13.5": {
        "runtime.h": """
            #define CUDART_ONE 1.0
            typedef enum cudaKind_enum { cudaKindFirst = 0, cudaKindLast } cudaKind;
            extern cudaError_t CUDARTAPI cudaAlloc(void **p, size_t size, unsigned flags __dv(0));
            extern cudaError_t CUDARTAPI cudaAlloc_ptsz(void **p, size_t size);
            extern cudaError_t CUDARTAPI cudaOther(int a, int b);
            extern cudaError_t CUDARTAPI cudaAbsent(void);
            extern cudaError_t CUDARTAPI cudaLate(void);
            extern cudaError_t CUDARTAPI cudaVeteran(void);
            extern cudaError_t CUDARTAPI cudaRounded(void);
            extern cudaError_t CUDARTAPI cudaSpelt(void);
            extern cudaError_t CUDARTAPI cudaWrong(void);
            template <class T> inline cudaError_t cudaTemplated(T *f) { return cudaAlloc((void **)f, 1); }
        """,
        "driver.h": """
            #define cuCopy cuCopy_v2
            CUresult CUDAAPI cuCopy(int a, int b);
        """,
    },
    "old_hip-6.2": {"c.pxd": "cdef int hipAlloc(void ** p,size_t size) nogil\ncdef int hipCopy(int a) nogil\n"},
    "new_hip-10.0": {
        "c.pxd": """
cdef extern from "hip.h":
    ctypedef struct hipThing:
        int a
    ctypedef enum hipKind:
        hipKindFirst
        hipKindLast
cdef int hipAlloc(void ** p,size_t size) except? hipError nogil
cdef int hipGone(int a) nogil
cdef int hipElse(int a) nogil
cdef int hipLate() nogil
cdef int hipCopy(int a) nogil
cdef int hipSpelled() nogil
cdef int hipLegacy(int a) nogil
cdef bint __hip_has_symbol(const char* name) noexcept nogil
"""
    },
    "hip_templates-7.1": {
        "h.h": """
            template <typename T> static inline hipError_t hipTemplated(T f) { return 0; }
            #if defined(NOT_BUILT)
            hipError_t hipRounded();
            #endif
        """
    },
    "framework-2.0": {
        "table.py": """
            ("cudaSpelt", "hipSpelled"),
            ("cudaLegacy", ("hipLegacy", 1)),
            ("cudaInvented", "hipInvented"),
        """
    },
    "aliases-10.0": {
        "cuda.pxd": """
from rocm cimport hipElse as cudaOther
from rocm cimport hipThing as cudaThing
from rocm cimport hipNowhere as cudaNowhere
ctypedef cudaThing cudaThingAgain
"""
    },
}
OLD_HEADER = "hipError_t hipVeteran();\n"


def debian_package(files: dict[str, str]) -> bytes:
    """A package as Debian's tools write it, with what the build reads of one: an archive in an archive."""
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:xz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    members = {"debian-binary": b"2.0\n", "control.tar.xz": b"odd", "data.tar.xz": inner.getvalue()}
    heads = {name: f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n" for name, data in members.items()}
    parts = [heads[name].encode() + data + b"\n" * (len(data) % 2) for name, data in members.items()]
    return b"!<arch>\n" + b"".join(parts)


def tables(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "sources.toml"}


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "wheels"
    folder.mkdir()
    for stem, files in WHEELS.items():
        with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    (folder / "libold-dev_5.2-1_amd64.deb").write_bytes(debian_package({"./usr/include/old.h": OLD_HEADER}))
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "apis"
    folder.mkdir()
    (folder / "sources.toml").write_text(MANIFEST, encoding="utf-8")
    return folder


def test_build_joins_names(wheels: Path, out: Path) -> None:
    counts = build(out, wheels)
    apis = load_catalogue(out)
    assert {n: (a.hip_name, a.status, a.since_rocm, a.until_cuda) for n, a in apis.items()} == {
        "CUDART_ONE": ("HIP_ONE", "renamed", "", ""),
        "cuCopy": ("hipCopy", "verify", "", ""),
        "cuCopy_v2": ("", "none", "", ""),
        "cudaAbsent": ("", "none", "", ""),
        "cudaAlloc": ("hipAlloc", "renamed", "", ""),
        "cudaGone": ("hipGone", "renamed", "10.0", "11.8"),
        "cudaKind": ("hipKind", "renamed", "10.0", ""),
        "cudaKindFirst": ("hipKindFirst", "renamed", "10.0", ""),
        "cudaKindLast": ("hipKindLast", "renamed", "10.0", ""),
        "cudaKind_enum": ("hipKind", "renamed", "10.0", ""),
        "cudaLate": ("hipLate", "renamed", "10.0", ""),
        "cudaLegacy": ("hipLegacy", "renamed", "10.0", ""),
        "cudaOther": ("hipElse", "renamed-arguments-differ", "10.0", ""),
        "cudaRounded": ("", "none", "", ""),
        "cudaSpelt": ("hipSpelled", "renamed", "10.0", ""),
        "cudaTemplated": ("hipTemplated", "renamed", "7.1", ""),
        "cudaThing": ("hipThing", "renamed", "10.0", ""),
        "cudaThingAgain": ("hipThing", "renamed", "10.0", ""),
        "cudaVeteran": ("hipVeteran", "renamed", "", ""),
        "cudaWrong": ("hipRight", "renamed-arguments-differ", "", ""),
    }
    assert counts["CUDA-Driver"] == {"none": 1, "verify": 1}
    names = [line for line in (out / "hip-names.txt").read_text().splitlines() if line[0] != "#"]
    assert names[:3] == ["hipAlloc 6.2", "hipCopy 6.2", "hipElse 10.0"]
    assert "hipVeteran 5.2" in names
    assert "hipRight" not in "".join(names)


def test_the_same_packages_give_the_same_bytes(wheels: Path, out: Path) -> None:
    build(out, wheels)
    first = tables(out)
    build(out, wheels)
    assert tables(out) == first
    assert set(first) == {"runtime.csv", "driver.csv", "hip-names.txt"}


def test_a_package_without_the_files_is_named_and_nothing_is_written(wheels: Path, out: Path) -> None:
    with zipfile.ZipFile(wheels / "aliases-10.0-py3-none-any.whl", "w") as archive:
        archive.writestr("empty.txt", "")
    with pytest.raises(EstimatorError, match=r"aliases-10\.0-py3-none-any\.whl: holds no file.*its layout has changed"):
        build(out, wheels)
    assert not tables(out)


@pytest.mark.parametrize("name", ["aliases-10.0-py3-none-any.whl", "libold-dev_5.2-1_amd64.deb"])
def test_a_package_that_is_none_is_named(wheels: Path, out: Path, name: str) -> None:
    (wheels / name).write_bytes(b"half a download")
    with pytest.raises(EstimatorError, match=f"{name}: not a readable package"):
        build(out, wheels)


def test_a_package_whose_content_is_broken_is_named(wheels: Path, out: Path) -> None:
    path = wheels / "aliases-10.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.pxd", "cdef int hipAlloc()\n" * 100)
    content = bytearray(path.read_bytes())
    content[30 + len("a.pxd")] = 0xFF  # the first byte behind the head of the file: no kind of block
    path.write_bytes(content)
    with pytest.raises(EstimatorError, match=f"{path.name}: not a readable package"):
        build(out, wheels)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, 97])
def test_a_wheel_of_another_compression_is_named(wheels: Path, out: Path, method: int) -> None:
    path = wheels / "aliases-10.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if method == 97 else method) as archive:
        archive.writestr("a.pxd", "cdef int hipAlloc()\n" * 100)
    content = bytearray(path.read_bytes())
    content[8] = content[content.find(b"PK\x01\x02") + 10] = method
    path.write_bytes(content)
    with pytest.raises(EstimatorError, match=f"{path.name}: not a readable package"):
        build(out, wheels)


def test_an_encrypted_wheel_is_named(wheels: Path, out: Path) -> None:
    path = wheels / "aliases-10.0-py3-none-any.whl"
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.find(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(EstimatorError, match=f"{path.name}: not a readable package.*encrypted"):
        build(out, wheels)


def test_a_wheel_that_unpacks_to_too_much_is_named(wheels: Path, out: Path) -> None:
    path = wheels / "aliases-10.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.pxd", b" " * 20_000_000)
    with pytest.raises(EstimatorError, match=r"a\.pxd: more than 16 MB"):
        build(out, wheels)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(f"{number}.pxd", b" " * 15_000_000)
    with pytest.raises(EstimatorError, match=r"4\.pxd: more than .* or 64 MB"):
        build(out, wheels)


@pytest.mark.parametrize("size", [-60, 10**9])
def test_a_debian_package_whose_parts_have_no_size_is_named(wheels: Path, out: Path, size: int) -> None:
    """One of minus 60 would lead back to itself for ever."""
    head = f"{'debian-binary':<16}{0:<12}{0:<6}{0:<6}{100644:<8}{size:<10}`\n".encode()
    (wheels / "libold-dev_5.2-1_amd64.deb").write_bytes(b"!<arch>\n" + head)
    with pytest.raises(EstimatorError, match=f"not a readable package: a part of {size} bytes"):
        build(out, wheels)


def test_a_library_that_lost_names_leaves_the_tables_as_they_are(wheels: Path, out: Path) -> None:
    build(out, wheels)
    before = tables(out)
    with zipfile.ZipFile(wheels / "new_headers-13.5-py3-none-any.whl", "w") as archive:
        archive.writestr("runtime.h", "cudaError_t cudaAlloc(void **p, size_t size);")
        archive.writestr("driver.h", WHEELS["new_headers-13.5"]["driver.h"])
    with pytest.raises(EstimatorError, match=r"CUDA-Runtime: 13 names, 18 in the table.*raise may_fall"):
        build(out, wheels)
    assert tables(out) == before


def test_a_name_in_two_libraries_is_an_error(wheels: Path, out: Path) -> None:
    path = out / "sources.toml"
    path.write_text(
        MANIFEST.replace("names = '^cu[A-Z]'", "names = '^cu'").replace("driver\\", "r\\"), encoding="utf-8"
    )
    with zipfile.ZipFile(wheels / "old_headers-11.8-py3-none-any.whl", "a") as archive:
        archive.writestr("other.h", "int cudaAlloc(void **p, size_t size);")
    with pytest.raises(EstimatorError, match="cudaAlloc is in CUDA-Runtime and in CUDA-Driver"):
        build(out, wheels)
    assert not tables(out)


def test_a_package_that_cannot_be_fetched_is_named(out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(EstimatorError, match=r"old-headers 11\.8: could not be fetched: .*\n.*--wheels FOLDER"):
        build(out, tmp_path / "new")
    assert not tables(out)


def test_without_a_folder_packages_leave_nothing_behind(
    wheels: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip takes the packages from a folder, as from a registry; no Debian package, which needs one."""
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(tempfile, "tempdir", str(out.parent))
    for wheel in list(wheels.glob("*.whl")):
        as_a_wheel(wheel)
    head, _, rest = MANIFEST.partition('[[package]]\nname = "libold-dev"')
    (out / "sources.toml").write_text(head + "[[package]]" + rest.split("[[package]]", 1)[1], encoding="utf-8")
    build(out)
    assert load_catalogue(out)["cudaAlloc"].hip_name == "hipAlloc"
    assert sorted(path.name for path in out.parent.iterdir()) == ["apis", "wheels"]


def as_a_wheel(path: Path) -> None:
    """Add what pip wants to see in a wheel."""
    name, version = path.name.split("-")[:2]
    folder = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(f"{folder}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{folder}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{folder}/RECORD", "")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('library = "CUDA-Driver"\nrelease', 'library = "CUDA-Drivel"\nrelease', "no library 'CUDA-Drivel'"),
        ('status = "renamed-arguments-differ"', 'status = "done"', "cudaWrong: no status 'done'"),
        ('role = "interop"', 'role = "other"', "role"),
        ("hip_names = '^hip'", "hip_names = '(hip'", r"hip_names: not a pattern: missing \)"),
        ('guess = "verify"', 'guess = "verfy"', r"library\.1\.guess: must be"),
        ("may_fall = 0.1", "may_fall = 2", "may_fall: must be at most 1"),
        ("may_fall = 0.1", "may_fall = nan", "may_fall: must be"),
        ('file = "driver.csv"', 'file = "../driver.csv"', r"library\.1\.file: must be of the form"),
        ('file = "driver.csv"', 'file = "/tmp/driver.csv"', r"library\.1\.file: must be of the form"),
        ('file = "driver.csv"', 'file = "sources.toml"', r"library\.1\.file: must be of the form"),
        ('file = "driver.csv"', 'file = "Runtime.csv"', r"runtime\.csv: stands twice"),
        ('id = "CUDA-Driver"', 'id = "CUDA\\rDriver"', r"library\.1\.id: holds a comma, a quote or a control"),
        ('id = "CUDA-Driver"', 'id = ""', r"library\.1\.id: must not be empty"),
        ('name = "old-hip"\nversion = "6.2"', 'name = "old-hip"\nversion = "*"', r"version: must be of the form"),
        ('name = "old-hip"', 'name = "../old-hip"', r"name: must be of the form"),
        ('name = "old-hip"', 'name = "--help"', r"name: must be of the form"),
        ('date = "2026-11-30"', 'date = "today\\nx"', "date: must be of the form"),
        ('status = "renamed-arguments-differ"', 'status = "none"\nsince = "soon"', "since: must be of the form"),
        ("'hipRight']", "'hip\\9']", "rename: not a replacement"),
        ('names = ["cudaWrong"]', 'names = [""]', r"names\.0: must be of the form"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_an_error(
    wheels: Path, out: Path, old: str, new: str, message: str
) -> None:
    (out / "sources.toml").write_text(MANIFEST.replace(old, new), encoding="utf-8")
    with pytest.raises(EstimatorError, match=message):
        build(out, wheels)


def test_a_manifest_with_a_misspelt_key_is_an_error(wheels: Path, out: Path) -> None:
    path = out / "sources.toml"
    path.write_text(MANIFEST.replace("otherwise", "otherwize"), encoding="utf-8")
    with pytest.raises(EstimatorError, match="otherwize"):
        build(out, wheels)


def test_what_would_not_load_does_not_replace_the_tables(wheels: Path, out: Path) -> None:
    """A table that a former manifest left behind has some of the same names."""
    build(out, wheels)
    (out / "runtime.csv").rename(out / "former.csv")
    before = tables(out)
    with pytest.raises(
        EstimatorError, match=rf"{out}/runtime\.csv: line \d+: CUDART_ONE stands in the catalogue already"
    ):
        build(out, wheels)
    assert tables(out) == before


def test_the_shipped_manifest_names_what_it_wrote() -> None:
    folder = data_folder("heuristics") / "apis"
    text = (folder / "sources.toml").read_text(encoding="utf-8")
    for path in folder.glob("*.csv"):
        assert f'file = "{path.name}"' in text
