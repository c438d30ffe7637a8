"""Reading declarations, and the build of a catalogue from packages made here."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge.catalogue import load_catalogue
from estimator.knowledge.catalogue_build import build
from estimator.knowledge.declarations import Declared, read_aliases, read_header, read_pxd
from estimator.resources import data_folder

MANIFEST = """
date = "2026-11-30"
generations = ["11.8", "13.5"]
releases = ["6.2", "10.0"]

[[package]]
name = "old-headers"
version = "11.8"
role = "cuda"
release = "11.8"
files = '\\.h$'

[[package]]
name = "new-headers"
version = "13.5"
role = "cuda"
release = "13.5"
files = '\\.h$'

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

[[package]]
name = "aliases"
version = "10.0"
role = "interop"
release = "10.0"
files = '\\.pxd$'

[[library]]
id = "CUDA-Runtime"
file = "runtime.csv"
names = '^cuda[A-Z]'
renames = [['^cuda', 'hip']]
guess = "renamed"
otherwise = "none"

[[library]]
id = "CUDA-Driver"
file = "driver.csv"
names = '^cu[A-Z]'
renames = [['^cu', 'hip']]
guess = "verify"
otherwise = "none"

[[listed]]
names = ["cudaWrong"]
rename = ['^cudaWrong$', 'hipRight']
status = "renamed-arguments-differ"
why = "checked by a person"
"""

WHEELS = {
    "old_headers-11.8": {
        "a.h": """
            /* cudaCommented(int); */
            extern cudaError_t CUDARTAPI cudaAlloc(void **p, size_t size);
            extern cudaError_t CUDARTAPI cudaGone(int a);
            extern cudaError_t CUDARTAPI cudaOther(int a, int b);
            CUresult CUDAAPI cuCopy(int a);
        """
    },
    "new_headers-13.5": {
        "a.h": """
            #define cuCopy cuCopy_v2
            extern cudaError_t CUDARTAPI cudaAlloc(void **p, size_t size, unsigned flags __dv(0));
            extern cudaError_t CUDARTAPI cudaOther(int a, int b);
            extern cudaError_t CUDARTAPI cudaAbsent(void);
            extern cudaError_t CUDARTAPI cudaLate(void);
            extern cudaError_t CUDARTAPI cudaWrong(void);
            template <class T> inline cudaError_t cudaTemplated(T *f) { return cudaAlloc((void **)f, 1); }
            CUresult CUDAAPI cuCopy(int a, int b);
        """
    },
    "old_hip-6.2": {"c.pxd": "cdef int hipAlloc(void ** p,size_t size) nogil\ncdef int hipCopy(int a) nogil\n"},
    "new_hip-10.0": {
        "c.pxd": """
cdef extern from "hip.h":
    ctypedef struct hipThing:
        int a
cdef int hipAlloc(void ** p,size_t size) except? hipError nogil
cdef int hipGone(int a) nogil
cdef int hipElse(int a) nogil
cdef int hipLate() nogil
cdef int hipCopy(int a) nogil
cdef bint __hip_has_symbol(const char* name) noexcept nogil
"""
    },
    "hip_templates-7.1": {"h.h": "template <typename T> static inline hipError_t hipTemplated(T f) { return 0; }"},
    "aliases-10.0": {
        "cuda.pxd": """
from rocm cimport hipElse as cudaOther
from rocm cimport hipThing as cudaThing
from rocm cimport hipNowhere as cudaNowhere
ctypedef cudaThing cudaThingAgain
"""
    },
}


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "wheels"
    folder.mkdir()
    for stem, files in WHEELS.items():
        with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
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
        "cuCopy": ("hipCopy", "verify", "", ""),
        "cuCopy_v2": ("", "none", "", ""),
        "cudaAbsent": ("", "none", "", ""),
        "cudaAlloc": ("hipAlloc", "renamed", "", ""),
        "cudaGone": ("hipGone", "renamed", "10.0", "11.8"),
        "cudaLate": ("hipLate", "renamed", "10.0", ""),
        "cudaOther": ("hipElse", "renamed-arguments-differ", "10.0", ""),
        "cudaTemplated": ("hipTemplated", "renamed", "", ""),
        "cudaThing": ("hipThing", "renamed", "10.0", ""),
        "cudaThingAgain": ("hipThing", "renamed", "10.0", ""),
        "cudaWrong": ("hipRight", "renamed-arguments-differ", "", ""),
    }
    assert counts["CUDA-Driver"] == {"none": 1, "verify": 1}


def test_the_same_packages_give_the_same_bytes(wheels: Path, out: Path) -> None:
    build(out, wheels)
    first = {path.name: path.read_bytes() for path in sorted(out.glob("*.csv"))}
    build(out, wheels)
    assert {path.name: path.read_bytes() for path in sorted(out.glob("*.csv"))} == first


def test_a_package_without_the_files_is_named_and_nothing_is_written(wheels: Path, out: Path) -> None:
    with zipfile.ZipFile(wheels / "aliases-10.0-py3-none-any.whl", "w") as archive:
        archive.writestr("empty.txt", "")
    with pytest.raises(EstimatorError, match=r"aliases-10\.0-py3-none-any\.whl: holds no file"):
        build(out, wheels)
    assert not list(out.glob("*.csv"))


def test_a_manifest_with_a_misspelt_key_is_an_error(wheels: Path, out: Path) -> None:
    path = out / "sources.toml"
    path.write_text(MANIFEST.replace("otherwise", "otherwize"), encoding="utf-8")
    with pytest.raises(EstimatorError, match="otherwize"):
        build(out, wheels)


def test_headers_give_functions_with_their_argument_counts() -> None:
    declared = Declared()
    read_header(
        """
        // cudaNot(int)
        #define cudaMacro(x) cudaReal(x)
        cudaError_t cudaReal(int a, void (*callback)(int, int), const T<int, int> &b = {});
        typedef void (CUDART_CB *cudaHostFn_t)(void *userData);
        static inline int cudaBody(void) { if (cudaCalled(1)) return cudaReturned(2); return 0; }
        """,
        declared,
    )
    assert declared.functions == {"cudaReal": {2, 3}, "cudaBody": {0}}
    assert "cudaNot" not in declared.words


def test_declaration_files_leave_private_helpers_out() -> None:
    declared = Declared()
    read_pxd("cdef int hipOne(int a,int b) nogil\ncdef bint __hip_has_symbol(const char* n) nogil\n", declared)
    assert declared.functions == {"hipOne": {2}}


def test_alias_chains_are_followed_to_their_end() -> None:
    aliases = read_aliases("from a cimport hipX as cudaX\nctypedef cudaX cudaY\nctypedef cudaY cudaZ\n")
    assert aliases == {"cudaX": "hipX", "cudaY": "hipX", "cudaZ": "hipX"}


def test_the_shipped_manifest_names_what_it_wrote() -> None:
    folder = data_folder("heuristics") / "apis"
    text = (folder / "sources.toml").read_text(encoding="utf-8")
    for path in folder.glob("*.csv"):
        assert f'file = "{path.name}"' in text
