# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels into small libraries, once on each machine: they are stored by the hash of everything that
determines their bits, and loaded in milliseconds afterwards."""

from __future__ import annotations

import _ctypes
import contextlib
import ctypes
import fcntl
import functools
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from .. import core
from ..errors import StorageError, SubcurrentError, storage_error

# As the engine's own kernels are compiled (engine/CMakeLists.txt); always for the processor at hand, because
# these libraries are not carried to other machines.
FLAGS = [
    "-std=c++20",
    "-O3",
    "-DNDEBUG",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
    "-march=native",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-w",
]
FUNCTION = "subcurrent_kernel"
TIMEOUT_SECONDS = 120.0  # seconds, for a compiler or for another process that compiles

# nvcc hands its host side to the compiler above; products and sums stay apart on the card too.
CUDA_FLAGS = [
    "-std=c++20",
    "-O3",
    "-DNDEBUG",
    "--expt-relaxed-constexpr",
    "-fmad=false",
    "-shared",
    "-w",
    "-Xcompiler=-fno-math-errno,-fno-trapping-math,-ffp-contract=off,-march=native,-fPIC,-fvisibility=hidden",
]

CARDS = ("-arch", "--gpu-architecture", "-gencode", "--generate-code")  # options that name cards

_loaded: dict[str, ctypes.CDLL] = {}


class NoCompiler(SubcurrentError):  # noqa: N818 - it reads as what is the matter
    """There is no C++ compiler on this machine."""


def function_of(source: str, what: str, card: str | None = None) -> int:
    """The address of the function in a source; `what` is the kernel's name in messages, `card` the CUDA
    device that runs it. Compiles it if needed. Raises NoCompiler, StorageError, or SubcurrentError with the
    compiler's message."""
    command = cuda_command(what) if card else [*compiler(what), *FLAGS, f"-I{headers()}"]
    name = _hash(source, [*command, card or ""])
    if name not in _loaded:
        _loaded[name] = _load(_library(source, command, name, what), source, command, what)
    return ctypes.cast(getattr(_loaded[name], FUNCTION), ctypes.c_void_p).value or 0


def compiler(what: str) -> list[str]:
    """$CXX, else the compiler of the engine, else one that is installed."""
    if chosen := shlex.split(os.environ.get("CXX", "")):
        if shutil.which(chosen[0]) is None:
            raise NoCompiler(f"{what} needs a C++ compiler, and CXX = {os.environ['CXX']} cannot be run.")
        return chosen
    for name in (core.load().build["cxx"], "g++", "c++", "clang++"):
        if found := shutil.which(name):
            return [found]
    raise NoCompiler(
        f"{what} needs a C++ compiler, and there is none here: install g++ (Debian and Ubuntu: apt-get "
        "install g++), or name one in the variable CXX."
    )


def cuda_command(what: str) -> list[str]:
    """nvcc, or $CUDACXX with the options that follow it there; for the card at hand unless these name one."""
    chosen = shlex.split(os.environ.get("CUDACXX", ""))
    names = chosen[:1] or ["nvcc", "/usr/local/cuda/bin/nvcc"]
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise NoCompiler(
            f"{what} needs nvcc to run on a CUDA device, and {names[0]} cannot be run: install NVIDIA's CUDA "
            "toolkit, or name its nvcc in the variable CUDACXX."
        )
    said = any(one.startswith(CARDS) for one in chosen[1:])
    card = [] if said else ["-arch=native"]
    return [found, "-x", "cu", *CUDA_FLAGS, *card, f"-I{headers()}", "-ccbin", _host(what), *chosen[1:]]


def _host(what: str) -> str:
    """The compiler of nvcc's host side, one program: without `ccache` before it and options behind."""
    words = compiler(what)
    return words[1] if Path(words[0]).name == "ccache" and len(words) > 1 else words[0]


@functools.cache
def headers() -> Path:
    """The folder of the headers that kernels include: beside the compiled module."""
    return Path(core.load().__file__).parent / "include"


def folder() -> Path:
    """The folder of the libraries: $SUBCURRENT_CACHE, or subcurrent in the user's cache folder."""
    if chosen := os.environ.get("SUBCURRENT_CACHE"):
        return Path(chosen).expanduser()
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "subcurrent" / "kernels"


def _hash(source: str, command: list[str]) -> str:
    """Of the text, the headers, the compiler, its flags and the processor."""
    digest = hashlib.sha256()
    for part in (
        core.load().version,
        source,
        *command,
        *_compiler_files(command),
        _processor(),
        _headers_text(),
    ):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:32]


def _compiler_files(command: list[str]) -> list[str]:
    """The programs that a command names (`ccache g++`, nvcc and its host compiler): path, size and time."""
    parts = []
    for word in command:
        if found := None if word.startswith("-") else shutil.which(word):
            path = Path(found).resolve()
            about = path.stat()
            parts += [str(path), f"{about.st_size} {about.st_mtime_ns}"]
    return parts


@functools.cache
def _headers_text() -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(headers().rglob("*.hpp")))


@functools.cache
def _processor() -> str:
    """What -march=native means on this machine."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0].splitlines()
        known = [line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part"))]
        if known:
            return "\n".join(known)
    return f"{platform.machine()} {platform.processor()} {platform.node()}"


def _library(source: str, command: list[str], name: str, what: str) -> Path:
    """The file of the library; if several processes need it, one compiles."""
    library = folder() / f"{name}.so"
    if library.exists():
        return library
    try:
        library.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(library.with_suffix(".lock"), library, what):
            if not library.exists():
                _compile(source, command, library, what)
    except OSError as error:
        raise _unwritable(error, library) from None
    return library


def _unwritable(error: OSError, library: Path) -> StorageError:
    sentence = storage_error(error, library).sentence.rstrip(".")
    return StorageError(
        f"{sentence}; compiled kernels are kept there, SUBCURRENT_CACHE names another folder."
    )


@contextlib.contextmanager
def _alone(lock: Path, library: Path, what: str) -> Iterator[None]:
    """Holds the lock, or waits until another process has made the library. On a file system without locks
    every process compiles, which only costs time, because files appear completely."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    until = time.monotonic() + TIMEOUT_SECONDS
    try:
        while not library.exists():
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise SubcurrentError(
                        f"{what} is being compiled by another process, for {TIMEOUT_SECONDS:.0f} s by now: "
                        f"end that one, or remove {lock}."
                    ) from None
                time.sleep(0.02)
            except OSError:
                break
        yield
    finally:
        os.close(descriptor)


def _compile(source: str, command: list[str], library: Path, what: str) -> None:
    """The text and the library appear completely, whoever else compiles the same."""
    text = library.with_suffix(".cpp")
    unfinished = f".{platform.node()}.{os.getpid()}"
    own, half = library.with_suffix(f"{unfinished}.cpp"), library.with_suffix(f"{unfinished}.tmp")
    try:
        own.write_text(source, encoding="utf-8")
        line = [*command, str(own), "-o", str(half)]
        done = subprocess.run(line, check=False, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        own.replace(text)
        line[line.index(str(own))] = str(text)
        if done.returncode != 0:
            said = next(
                (one for one in done.stderr.splitlines() if "error" in one), done.stderr.strip()[:200]
            )
            raise SubcurrentError(f"{what} was refused by the compiler ({said}): {shlex.join(line)}.")
        half.replace(library)
    except subprocess.TimeoutExpired:
        raise SubcurrentError(
            f"{what} was not compiled after {TIMEOUT_SECONDS:.0f} s: {shlex.join(line)}."
        ) from None
    finally:
        own.unlink(missing_ok=True)
        half.unlink(missing_ok=True)


def _load(library: Path, source: str, command: list[str], what: str) -> ctypes.CDLL:
    """The library; one that is damaged, or has no such function, is compiled again."""
    try:
        return _opened(library)
    except (OSError, AttributeError):
        _compile(source, command, library, what)
    try:
        return _opened(library)
    except (OSError, AttributeError) as error:
        raise StorageError(f"{what} cannot be loaded from {library}: {error}.") from None


def _opened(library: Path) -> ctypes.CDLL:
    found = ctypes.CDLL(str(library))
    try:
        getattr(found, FUNCTION)
    except AttributeError:
        _ctypes.dlclose(found._handle)  # what is open under a path is not opened anew
        raise
    return found
