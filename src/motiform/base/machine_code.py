"""Machine code on disk: where it is kept, that one process compiles it for all, and that compiling is announced."""

import errno
import hashlib
import inspect
import io
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.sigutils import normalize_signature

from motiform.base.caches import cache_dir, forget_old, private_cache, source_key
from motiform.base.files import plain_file
from motiform.base.locks import lock, unlock
from motiform.base.progress import compiling

__all__ = ["cache_on_disk"]

_PACKAGE = Path(__file__).resolve().parents[1]


@cache
def _all_code() -> Path:
    """Return the folder of all machine code, what is old removed from it."""
    folder = private_cache() / "kernels"
    forget_old(folder)
    return folder


@cache
def _cache_folder(file: str) -> Path:
    """Return the folder of machine code of this very source, marked as in use."""
    folder = _all_code() / source_key(file)
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    return folder


class _Locator(_CacheLocator):
    """Puts machine code under motiform's cache, in a folder keyed by the package's source."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file, self._lineno = py_file, py_func.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(_cache_folder(self._py_file))

    def get_source_stamp(self) -> str:
        return source_key(self._py_file)

    def get_disambiguator(self) -> str:
        # Not its folder: an environment finds what another one of the same versions has compiled.
        file = Path(self._py_file).resolve()
        name = file.relative_to(_PACKAGE) if file.is_relative_to(_PACKAGE) else file
        versions = f"{numba.__version__}:{llvmlite.__version__}:{np.__version__}"
        return hashlib.sha256(f"{name.as_posix()}:{self._lineno}:{versions}".encode()).hexdigest()[:10]

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_Locator":
        return cls(py_func, py_file)


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012


class _Files(IndexDataCacheFile):
    """Numba's files of one function, each with a checksum after it, which readers of pickles pass over.

    Damaged machine code would be run: a file that is not what was written counts as none, and is compiled anew.
    """

    def save(self, key: Any, data: Any) -> None:
        with _locked(Path(f"{self._index_path}.lock")):  # or two processes give their files the same number
            super().save(key, data)

    def _load_index(self) -> Any:
        try:
            return super()._load_index() if _is_whole(self._index_path) else {}
        except (AttributeError, ImportError):  # of an older version, with types that are gone
            return {}

    def _load_data(self, name: str) -> Any:
        if not _is_whole(self._data_path(name)):
            raise OSError(f"{name} is damaged")
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[Any]:
        with super()._open_for_write(filepath) as file:
            kept = io.BytesIO()
            yield kept
            file.write(kept.getvalue() + _checksum(kept.getvalue(), filepath))


_SEAL = b"motiform-sum"


def _checksum(data: bytes, path: str) -> bytes:
    """Return the sum of a file and of its name: whole code of another function is not that of this one."""
    return _SEAL + hashlib.blake2b(Path(path).name.encode() + data, digest_size=16).digest()


def _is_whole(path: str) -> bool:
    """Tell whether a file is as it was written, or not there; say once that one is not, and make room for another."""
    try:
        data = plain_file(Path(path)).read_bytes()
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EISDIR, errno.ELOOP):
            return True  # its reader gets the same error
        data = b""  # a pipe or device, a folder, a link to itself
    end = len(data) - len(_SEAL) - 16
    whole = end >= 0 and data[end:] == _checksum(data[:end], path)
    if not whole:
        _warn_of_damage()
        _remove(Path(path))
    return whole


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


@cache
def _warn_of_damage() -> None:
    if not os.environ.get("MOTIFORM_QUIET"):
        print("motiform: compiled kernels on disk are damaged; they are compiled anew", file=sys.stderr, flush=True)


@cache
def _warn_not_cached(reason: str) -> None:
    if not os.environ.get("MOTIFORM_QUIET"):
        print(f"motiform: compiled kernels are not kept: {reason}", file=sys.stderr, flush=True)


def _why(error: OSError) -> str:
    """Return why nothing is kept on disk."""
    try:
        folder = f"{cache_dir()}: "
    except RuntimeError:
        folder = ""
    return f"{folder}{error.strerror or error}"


class _Cache(FunctionCache):
    """Numba's cache of one function, with a lock while it is compiled: other processes wait and then load it."""

    _impl_class = _CacheImpl

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _Files(self.cache_path, self._impl.filename_base, stamp)
        self._held = ExitStack()  # the lock and the announcement, from a miss until the compiler is done

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._load(sig, target_context)
        if found is None:
            name = self._py_func.__qualname__
            file = hashlib.sha256(f"{name}{sig}".encode()).hexdigest()[:16]
            self._held.enter_context(_locked(Path(self.cache_path) / f"{file}.lock"))
            found = self._load(sig, target_context)  # another process may have compiled it meanwhile
            if found is None:
                self._held.enter_context(compiling(name))
            else:
                self.release()
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        with suppress(OSError):  # a cache that cannot be read or written only costs time
            return super().load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_not_cached(_why(error))

    def release(self) -> None:
        """Let other processes go on; what was compiled is counted."""
        self._held.close()

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        # The source key is in the path; Numba's own key would hash the pickle of inner functions, new in each process.
        return (sig, codegen.magic_tuple())


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock; where the system has none, two processes compile the same code."""
    with suppress(OSError):
        path.touch()
    handle = lock(path, wait=True)
    try:
        yield
    finally:
        unlock(handle)


def cache_on_disk(dispatcher: Any) -> Any:
    """Give a function of motiform's own an on-disk cache; without one, say why, and compile in each process."""
    if not dispatcher.py_func.__module__.startswith("motiform."):
        return dispatcher  # a user's own file is not in the source key: its changed helpers would go unseen
    compile_one = dispatcher.compile
    try:
        _all_code()
        _cache_folder(inspect.getfile(dispatcher.py_func))
        cache = dispatcher._cache = _Cache(dispatcher.py_func)
    except OSError as error:
        reason = _why(error)

        def compile_and_say(signature: Any) -> Any:
            if normalize_signature(signature)[0] in dispatcher.overloads:
                return compile_one(signature)
            with compiling(dispatcher.py_func.__qualname__, unkept=reason):
                return compile_one(signature)

        dispatcher.compile = compile_and_say
        return dispatcher

    def compile_and_release(signature: Any) -> Any:
        try:
            return compile_one(signature)
        finally:
            cache.release()

    dispatcher.compile = compile_and_release
    return dispatcher
