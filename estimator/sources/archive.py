"""A .zip or .tar archive, read as a stream: nothing is extracted to disk.

The decompressor is ours to stop: what comes out is counted against the limits before anything is done
with it, so that a bomb costs no more than they allow.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Self

from estimator.errors import NOT_MEASURED, EstimatorError, Trouble, shown
from estimator.sources import members
from estimator.sources.members import Left, Limits, Member, Raw

_SUFFIXES = (".zip", ".whl", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_XZ_MEMORY = 268_435_456
_RATIO_FROM = 16_000_000  # below this a high ratio is harmless and, in repetitive sources, ordinary
_CHUNK = 65_536
_LONGEST_EXTENSION = 1_000_000  # bytes of a name or of attributes, which `tarfile` reads whole
_EXTENSIONS = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK
)  # fmt: skip
_ENCRYPTED = 0x1
_UNSAFE = "archive member with an absolute path or '..', never read"
_DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, ValueError, OSError
)  # fmt: skip


def is_archive(path: Path) -> bool:
    """Whether a file is read as an archive, by its name."""
    return path.name.lower().endswith(_SUFFIXES)


def archive_name(path: Path) -> str:
    """The name without the archive's suffix."""
    suffix = max((suffix for suffix in _SUFFIXES if path.name.lower().endswith(suffix)), key=len)
    return path.name[: -len(suffix)]


def members_of(path: Path, limits: Limits) -> Iterator[Member]:
    """All files of an archive in the order they stand in it, paths as in the archive.

    Links, devices and members that lead out of the archive are left out. Archives inside are not
    opened. .gitignore is not applied: what is in an archive was put there on purpose.
    """
    reader = _zip if path.name.lower().endswith((".zip", ".whl")) else _tar
    try:
        with path.open("rb") as packed:
            yield from reader(path, packed, limits)
    except EstimatorError:
        raise
    except _DAMAGE as error:
        why = "its end is missing, as after a broken download; fetch it again"
        if not _is_cut(path, error):
            why = f"{shown(str(error), 100)}; unpack it yourself and scan the folder"
        raise EstimatorError(f"{path}: not a readable archive: {why}") from None


def _is_cut(path: Path, error: Exception) -> bool:
    """Whether an archive lacks its end: where a zip has its list of members, by which alone it can be read."""
    if isinstance(error, zipfile.BadZipFile) and str(error) == "File is not a zip file":
        with path.open("rb") as packed:
            return packed.read(4) in (b"PK\3\4", b"")
    return isinstance(error, EOFError) or str(error) in ("unexpected end of data", "empty file")


def _tar(path: Path, packed: IO[bytes], limits: Limits) -> Iterator[Member]:
    stream = _Counted(path, packed, limits)
    with tarfile.open(
        fileobj=stream, mode="r|", tarinfo=_Header, encoding="utf-8", errors="surrogateescape"
    ) as archive:
        for number, info in enumerate(archive, 1):
            _check_entries(path, number, limits)
            if info.size < 0:
                yield _lost(archive, "a member of negative size")
                return
            _check_total(path, info.size, limits)  # `tarfile` would look for the end of it for ever
            if info.isdir():
                continue
            yield _tar_member(archive, info, limits)
        if fault := _Header.fault_of(archive):
            yield _lost(archive, fault)


def _tar_member(archive: tarfile.TarFile, info: tarfile.TarInfo, limits: Limits) -> Member:
    if not info.isreg():
        return Left(members.printable(info.name), members.LINK)
    if info.issparse():
        return Trouble(members.printable(info.name), "read", "archive member is sparse, as no source is", info.size)
    judged = _judge(info.name, info.size, limits)
    if judged is not None:
        return judged
    file = archive.extractfile(info)
    assert file is not None  # only links and devices have no content
    return Raw(_path(info.name), file.read(limits.file_bytes + 1))


class _Header(tarfile.TarInfo):
    """A header that remembers why it could not be read; `tarfile` takes any fault for the end of the archive."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.size > _LONGEST_EXTENSION and header.type in _EXTENSIONS:
            raise tarfile.InvalidHeaderError("too long")  # type: ignore[attr-defined]
        return header

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]  # the end mark, as it should be
            raise
        except (tarfile.EmptyHeaderError, tarfile.TruncatedHeaderError):  # type: ignore[attr-defined]
            if archive.offset:
                raise EOFError("it ends without its end mark") from None
            raise
        except tarfile.InvalidHeaderError as error:  # type: ignore[attr-defined]
            archive.fault = f"a damaged header ({error})"  # type: ignore[attr-defined]
            raise

    @staticmethod
    def fault_of(archive: tarfile.TarFile) -> str:
        """Why the archive ended before its end mark, "" when it didn't."""
        return getattr(archive, "fault", "")


def _lost(archive: tarfile.TarFile, fault: str) -> Trouble:
    """The rest of an archive behind a fault, counted without being kept."""
    rest = archive.fileobj
    assert rest is not None  # it is open
    size = sum(map(len, iter(lambda: rest.read(_CHUNK), b"")))
    return Trouble(members.ALL, "read", f"archive is unreadable from {fault} on; unpack it yourself if you can", size)


def _zip(path: Path, packed: IO[bytes], limits: Limits) -> Iterator[Member]:
    total = 0
    with zipfile.ZipFile(packed) as archive:
        _check_entries(path, len(archive.infolist()), limits)
        for info in archive.infolist():
            if info.is_dir():
                continue
            mode = info.external_attr >> 16
            if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                yield Left(members.printable(info.filename), members.LINK)
                continue
            member = _judge(info.filename, info.file_size, limits)
            if member is None:
                member = _zip_content(archive, info, limits)
            if isinstance(member, Raw):
                total += len(member.content)
                _check_total(path, total, limits)
            yield member


def _zip_content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: Limits) -> Member:
    name = _path(info.filename)
    if info.flag_bits & _ENCRYPTED:
        return Trouble(name, "read", "archive member is encrypted", info.file_size)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2):
        return Trouble(name, "read", f"archive member is packed by method {info.compress_type}", info.file_size)
    allowed = max(limits.ratio * info.compress_size, _CHUNK)
    content = bytearray()
    try:
        with archive.open(info) as file:
            while len(content) <= min(allowed, limits.file_bytes) and (piece := file.read(_CHUNK)):
                content += piece
    except _DAMAGE as error:
        return Trouble(name, "read", f"archive member is damaged: {shown(str(error), 100)}", info.file_size)
    if len(content) > limits.file_bytes:
        return members.oversize(name, len(content), limits)
    if len(content) > allowed:
        reason = f"archive member is packed more than {limits.ratio}:1"
        return Trouble(name, "read", reason, max(len(content), info.file_size))
    return Raw(name, bytes(content))


def _judge(name: str, size: int, limits: Limits) -> Member | None:
    """What becomes of a member by its name and size; None when it is to be read."""
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or parts[-1] in ("", "."):
        return Left(members.printable(name), _UNSAFE, size)
    path = _path(name)
    if path.count("/") >= limits.depth:
        return Trouble(path, "read", f"folders nested more than {limits.depth} deep are not entered", size)
    if any(members.is_tool_folder(part) for part in parts[:-1]):
        return Left(path, members.TOOL_FILE, size)
    if not (members.is_source(path) or members.is_evidence(path)):
        return Left(path, members.NOT_SOURCE, size)
    if size > limits.file_bytes:
        return members.oversize(path, size, limits)
    return None


def _path(name: str) -> str:
    """The one path of a member that could be named in several ways: "a//b.cu" and "./a/b.cu" are "a/b.cu"."""
    return members.printable("/".join(part for part in name.split("/") if part not in ("", ".")))


def _check_entries(path: Path, entries: int, limits: Limits) -> None:
    if entries > limits.entries:
        raise EstimatorError(
            f"{path}: more than {limits.entries} members; unpack it yourself and scan its parts", NOT_MEASURED
        )


def _check_total(path: Path, size: int, limits: Limits) -> None:
    if size > limits.total_bytes:
        raise EstimatorError(
            f"{path}: more than {limits.total_bytes / 1e9:g} GB unpacked; unpack it yourself and scan its parts",
            NOT_MEASURED,
        )


class _Counted(io.RawIOBase):
    """An unpacked tar stream that stops with an error at the limits."""

    def __init__(self, path: Path, packed: IO[bytes], limits: Limits) -> None:
        self._path = path
        self._packed = packed
        self._limits = limits
        self._unpacked = _unpacked(packed)
        self._bytes = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        piece = self._unpacked.read(_CHUNK if size < 0 else min(size, _CHUNK))
        self._bytes += len(piece)
        _check_total(self._path, self._bytes, self._limits)
        if self._bytes > _RATIO_FROM and self._bytes > self._limits.ratio * max(self._packed.tell(), 1):
            raise EstimatorError(
                f"{self._path}: packed more than {self._limits.ratio}:1, as no source archive is; "
                "unpack it yourself and scan the folder",
                NOT_MEASURED,
            )
        return piece


def _unpacked(packed: IO[bytes]) -> IO[bytes] | gzip.GzipFile | bz2.BZ2File | _Xz:
    """The decompressed stream, by the first bytes rather than by the name."""
    head = packed.read(6)
    packed.seek(0)
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=packed)
    if head.startswith(b"BZh"):
        return bz2.BZ2File(packed)
    if head.startswith(b"\xfd7zXZ\0"):
        return _Xz(packed)
    return packed


class _Xz:
    """An xz stream whose dictionary may not take more than 256 MiB, which `lzma.open` cannot be told."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._unpacker = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def read(self, size: int) -> bytes:
        while not self._unpacker.eof:
            fresh = self._packed.read(_CHUNK) if self._unpacker.needs_input else b""
            if piece := self._unpacker.decompress(fresh, max_length=size):
                return piece
            if not fresh and self._unpacker.needs_input:
                raise EOFError("the stream ends early")
        return b""
