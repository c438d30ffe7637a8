"""Packages of a registry as folders of text: fetched with the registry's ordinary client, read, let go.

`pip` serves wheels, `apt-get` Debian packages; the client's own settings say where they come from.
"""

from __future__ import annotations

import io
import lzma
import os
import re
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal

from estimator.errors import EstimatorError, shown

Registry = Literal["wheels", "debian"]

# What reading a broken archive may raise: RuntimeError for an encrypted one, NotImplementedError for a method unknown.
_BROKEN = (
    OSError,
    ValueError,
    EOFError,
    RuntimeError,
    NotImplementedError,
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
)

# Bytes of one file, of all that are read of a package, and of all that a Debian package unpacks to, which must be
# passed to get at them; real headers are far smaller.
_LARGEST, _MOST, _UNPACKED = 16_000_000, 64_000_000, 1_000_000_000

# Ways of compressing whose reader gives no more at once than is asked for.
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

# One platform and interpreter for everybody, so that the same files are read wherever the build runs.
_PLATFORMS = (
    "manylinux_2_28_x86_64",
    "manylinux_2_27_x86_64",
    "manylinux_2_25_x86_64",
    "manylinux_2_18_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux2014_x86_64",
    "manylinux_2_12_x86_64",
    "manylinux2010_x86_64",
    "manylinux_2_5_x86_64",
    "manylinux1_x86_64",
    "any",
)
_INTERPRETER = (
    "--python-version",
    "3.11",
    "--implementation",
    "cp",
    "--abi",
    "cp311",
    "--abi",
    "abi3",
    "--abi",
    "none",
)
_PIP = ("-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:")


def package(name: str, version: str, folder: Path, registry: Registry = "wheels") -> Path:
    """The file of one package in a folder, fetched where it isn't there yet.

    A package that can't be had is an EstimatorError with the client's last word; so is a folder that can't take it.
    """
    pattern = f"{name}_{version}_*.deb" if registry == "debian" else f"{re.sub('[-.]', '_', name)}-{version}-*.whl"
    if not (found := sorted(folder.glob(pattern))):
        if not os.access(folder, os.W_OK):
            raise EstimatorError(f"{folder}: {name} {version} is not there, and the folder can't be written")
        told = _fetch(name, version, folder, registry)
        if not (found := sorted(folder.glob(pattern))):
            raise EstimatorError(
                f"{name} {version}: could not be fetched: {told}\n"
                "Without a registry, give a folder that holds the packages which sources.toml names: --wheels FOLDER"
            )
    return found[0]


def _fetch(name: str, version: str, folder: Path, registry: Registry) -> str:
    """Call the client; gives the last line of what it complained of."""
    platforms = [part for platform in _PLATFORMS for part in ("--platform", platform)]
    by_pip = [sys.executable, *_PIP, *_INTERPRETER, *platforms, "--dest", ".", f"{name}=={version}"]
    command = ["apt-get", "download", f"{name}={version}"] if registry == "debian" else by_pip
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    complaints = [line for line in done.stderr.splitlines() if line.strip()] or ["it gave no reason"]
    return shown(complaints[-1], 300)


def texts(path: Path, wanted: re.Pattern[str]) -> list[tuple[str, str]]:
    """Name and text of all files of a package whose path matches, sorted by name.

    A package that can't be read, or holds no such file, is an EstimatorError.
    """
    try:
        found = sorted(_members(path, wanted))
    except _BROKEN as error:
        raise EstimatorError(f"{path.name}: not a readable package: {shown(str(error), 200)}") from None
    if not found:
        raise EstimatorError(f"{path.name}: holds no file that matches {wanted.pattern}; its layout has changed")
    return [(name, content.decode("utf-8", errors="replace")) for name, content in found]


def _members(path: Path, wanted: re.Pattern[str]) -> Iterator[tuple[str, bytes]]:
    """Name and content of the files inside, in the order of the package; no more than is reasonable."""
    left = _MOST
    for name, file in _open_members(path, wanted):
        content = file.read(min(_LARGEST, left) + 1)
        left -= len(content)
        if len(content) > _LARGEST or left < 0:
            raise ValueError(f"{name}: more than {_LARGEST / 1e6:g} MB, or {_MOST / 1e6:g} MB with those before it")
        yield name, content


def _open_members(path: Path, wanted: re.Pattern[str]) -> Iterator[tuple[str, IO[bytes]]]:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            yield from _of_wheel(wheel, wanted)
    else:
        with path.open("rb") as package, tarfile.open(fileobj=io.BytesIO(_data(package))) as archive:
            yield from _of_debian(archive, wanted)


def _of_wheel(wheel: zipfile.ZipFile, wanted: re.Pattern[str]) -> Iterator[tuple[str, IO[bytes]]]:
    for entry in wheel.infolist():
        if wanted.search(entry.filename):
            if entry.compress_type not in _BOUNDED:
                raise ValueError(f"{entry.filename}: compressed in a way that wheels don't use")
            with wheel.open(entry) as file:
                yield entry.filename, file


def _of_debian(archive: tarfile.TarFile, wanted: re.Pattern[str]) -> Iterator[tuple[str, IO[bytes]]]:
    unpacked = 0
    for entry in archive:
        unpacked += entry.size
        if unpacked > _UNPACKED:
            raise ValueError(f"unpacks to more than {_UNPACKED / 1e6:g} MB")
        if entry.isfile() and wanted.search(entry.name) and (file := archive.extractfile(entry)):
            yield entry.name, file


def _data(package: IO[bytes]) -> bytes:
    """The files of a Debian package: an `ar` archive (8 bytes, then members with a head of 60) holds them as a tar."""
    is_one = package.read(8) == b"!<arch>\n"
    while is_one and len(head := package.read(60)) == 60:
        size = int(head[48:58])
        if not 0 <= size <= _MOST:
            raise ValueError(f"a part of {size} bytes")
        if head.startswith(b"data.tar"):
            return package.read(size)
        package.seek(size + size % 2, os.SEEK_CUR)
    raise ValueError("no data.tar in it")
