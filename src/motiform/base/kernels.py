"""One element function, two devices.

A kernel is a plain function ``def body(i, ...)`` of one index that writes only its own elements. It is
launched over n elements: on the CPU a loop over all cores, on an NVIDIA GPU a grid, from the same source.
There are no atomics and no fast-math, so results do not depend on the number of threads.

>>> import numpy as np
>>> @kernel
... def double(i, x):
...     x[i] = 2 * x[i]
>>> x = np.arange(3.0)
>>> get_device("cpu").launch(double, 3, x)
>>> x
array([0., 2., 4.])

Modules of kernels import this one, and with it numba, so they are themselves imported only inside the functions that
launch them.
"""

import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any, Literal, get_type_hints

import numba
import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.base.libraries import OPTIONAL
from motiform.base.numba_versions import is_known

__all__ = [
    "CompiledEntry", "Device", "Kernel", "compiled", "cuda_device_name", "entry", "fused", "get_device", "inline",
    "kernel", "native_type", "routine", "sum_fixed", "thread_count", "threads", "typed_entry", "typed_kernel",
]  # fmt: skip

# error_model "numpy": x/0 is inf, as on the GPU, and no branch per division (1.3 times faster on link loops).
_COMMON: dict[str, Any] = {"error_model": "numpy", "nogil": True}
if is_known(numba.__version__):
    from motiform.base.compiling import CalleeCompiler, TopCompiler, launch_threads, spread_over
    from motiform.base.machine_code import cache_on_disk

    _COMMON |= {"no_cfunc_wrapper": True}
    _OPTIONS: dict[str, Any] = {**_COMMON, "pipeline_class": TopCompiler}
    # Kernels allocate nothing, so they need no reference counts: counting arrays at every inner call took most of the
    # time.
    _CALLEE: dict[str, Any] = {**_COMMON, "_nrt": False, "no_cpython_wrapper": True, "pipeline_class": CalleeCompiler}
else:
    from motiform.base.plain_compiling import cache_on_disk, launch_threads, spread_over

    _OPTIONS = _CALLEE = _COMMON
# Said both ways: what a function leaves open it takes from the one that calls it, and a kernel's body is inline.
_ROUTINE: dict[str, Any] = {**_CALLEE, "forceinline": False}
_ELEMENT: dict[str, Any] = {**_CALLEE, "forceinline": True}
_SERIAL_BELOW = 64  # elements; waking the threads costs more than so few elements do
_launching = threading.Lock()  # one of Numba's threading layers aborts when two threads enter it


def inline(function: Callable[..., Any]) -> Any:
    """Mark a small function that kernels call: compiled into them, on either device."""
    return _callee(function, _ELEMENT)


def fused(function: Callable[..., Any]) -> Any:
    """Mark a function like `inline` in which a product and the sum it goes into may be rounded once, as on a GPU.

    No sum is reordered. Whether a processor fuses does not depend on the number of threads.
    """
    return _callee(function, {**_ELEMENT, "fastmath": {"contract"}})


def routine(function: Callable[..., Any]) -> Any:
    """Mark a larger function that kernels call in several places: on the CPU one copy serves them all."""
    return _callee(function, _ROUTINE)


def _callee(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return the function for compiled code, with one version for all constants: Numba would make one for each."""
    made = numba.njit(**options)(function)
    if made is function:  # NUMBA_DISABLE_JIT
        return made
    find = made.get_call_template

    def find_plain(given: Any, named: dict[str, Any]) -> Any:
        plain = {name: numba.types.unliteral(kind) for name, kind in named.items()}
        return find([numba.types.unliteral(kind) for kind in given], plain)

    made.get_call_template = find_plain
    return made


def compiled(function: Callable[..., Any]) -> Any:
    """Mark a function that Python calls directly: compiled at its first call, kept on disk, runs on one core."""
    return cache_on_disk(numba.njit(**_OPTIONS)(function))


class CompiledEntry:
    """A function that Python calls directly with one kind of arguments. Made by `entry`."""

    def __init__(
        self, function: Callable[..., Any], signature: Any, *, looks: bool = True, nogil: bool = False
    ) -> None:
        self._python, self._signature, self._looks, self._nogil = function, signature, looks, nogil
        self.__doc__, self.__name__, self.__module__ = function.__doc__, function.__name__, function.__module__

    def __reduce__(self) -> str:
        return self.__name__  # pickled as what stands under its name in its module

    @cached_property
    def _dispatcher(self) -> Any:
        dispatcher = cache_on_disk(numba.njit(**(_OPTIONS | {"nogil": self._nogil}))(self._python))
        dispatcher.compile(self._signature)
        dispatcher.disable_compile()
        return dispatcher

    @property
    def compiled(self) -> Any:
        """What compiling gave: its machine code has an address."""
        return next(iter(self._dispatcher.overloads.values()))

    @cached_property
    def function(self) -> Any:
        """The compiled function."""
        return self._dispatcher if self._looks else self.compiled.entry_point


def entry(signature: str) -> Callable[[Callable[..., Any]], CompiledEntry]:
    """Mark a function for a short way from Python into compiled code: one signature, called with the lock held.

    Arguments of any other type are a TypeError.
    """
    return lambda function: CompiledEntry(function, signature)


def typed_entry(
    result: str, *arguments: str | type, nogil: bool = False
) -> Callable[[Callable[..., Any]], CompiledEntry]:
    """Mark an entry whose arguments are not looked at: the caller vouches for the types, as for `typed_kernel`.

    An argument's type is a text, or a NamedTuple whose fields are of `base.layouts`: one tuple costs less than its
    fields one by one. With `nogil` other threads run meanwhile: for what takes long.
    """
    signature = native_type(result)(*(native_type(kind) for kind in arguments))
    return lambda function: CompiledEntry(function, signature, looks=False, nogil=nogil)


def native_type(kind: str | type) -> Any:
    """Return Numba's type of an argument, see `typed_entry`."""
    if isinstance(kind, str):
        return eval(kind, {}, vars(numba.types))
    hints = get_type_hints(kind, include_extras=True).values()
    return numba.types.NamedTuple([native_type(getattr(hint, "__metadata__", (hint,))[0]) for hint in hints], kind)


class Kernel:
    """An element function and its loops, each compiled when it is first launched. Made by `kernel`."""

    def __init__(self, function: Callable[..., None], signature: Any = None) -> None:
        self.function, self.signature = function, signature
        self.body = _callee(function, _ELEMENT)
        self.arguments = list(inspect.signature(function).parameters)[1:]
        self.__doc__, self.__name__ = function.__doc__, function.__name__

    def _loop(self, text: str, **names: Any) -> Any:
        space = {"__name__": self.function.__module__, "_body": self.body, **names}
        exec(compile(text, inspect.getfile(self.function), "exec"), space)  # the loop belongs to the kernel's own file
        loop = space["loop"]
        loop.__qualname__ = f"{self.function.__module__}.{self.function.__qualname__}.loop"
        return loop

    @cached_property
    def cpu(self) -> Any:
        """The loop on so many threads: ``cpu(count, parts, *arguments)``."""
        launch_threads()
        arguments = ", ".join(self.arguments)
        piece = self._loop(
            "def loop(_first, _last, _count, _parts, _arguments):\n"
            f"    {arguments}, = _arguments\n"
            "    for _i in range(_first * _count // _parts, _last * _count // _parts):\n"
            f"        _body(_i, {arguments})\n"
        )
        spread = spread_over(numba.njit(**_ROUTINE)(piece))
        text = f"def loop(_count, _parts, {arguments}):\n    _spread(_count, _parts, ({arguments},))\n"
        dispatcher = cache_on_disk(numba.njit(**_OPTIONS)(self._loop(text, _spread=spread)))
        if self.signature is None:
            return dispatcher
        dispatcher.compile(self.signature)
        return next(iter(dispatcher.overloads.values())).entry_point  # looks at no types when called

    @cached_property
    def cuda(self) -> Any:
        """The grid on an NVIDIA GPU."""
        cuda = _numba_cuda()
        arguments = ", ".join(self.arguments)
        text = (
            f"def loop(_count, {arguments}):\n"
            "    _i = _cuda.grid(1)\n"
            f"    if _i < _count:\n        _body(_i, {arguments})\n"
        )
        return cuda.jit(self._loop(text, _cuda=cuda))


def kernel(function: Callable[..., None]) -> Kernel:
    """Mark a function of one index and its arrays as a kernel."""
    return Kernel(function)


def typed_kernel(*arguments: str | type) -> Callable[[Callable[..., None]], Kernel]:
    """Mark a kernel whose arguments on the CPU have given types (those after the index), as for `typed_entry`.

    Numba takes an array of one row or column for C-ordered, whichever it is meant to be, and would compile everything
    again for it; with a signature it does not. The caller vouches for the types: they are not looked at.
    """
    signature = numba.void(numba.int64, numba.int64, *(native_type(kind) for kind in arguments))
    return lambda function: Kernel(function, signature)


class Device:
    """The CPU's cores: launches kernels on numpy arrays."""

    name: Literal["cpu", "cuda"] = "cpu"

    def launch(self, kernel: Kernel, count: int, *arguments: Any, least: int = _SERIAL_BELOW) -> None:
        """Run the kernel's body for every index below count; below `least` on one core, for elements that do little."""
        parts = 1 if count < least else numba.get_num_threads()
        if parts == 1:
            kernel.cpu(count, 1, *arguments)
        else:
            with _launching:
                kernel.cpu(count, parts, *arguments)

    def array(self, values: Any, dtype: Any = None) -> Any:
        """Return a fresh C-contiguous copy of the values on the device."""
        return np.array(values, dtype=dtype, order="C")

    def rows(self, values: np.ndarray) -> Any:
        """Return (elements, numbers) as [number, element] on the device, laid out so that its threads run side by side.

        On the CPU the numbers of an element stay together; on a GPU neighbours in number of element do.
        """
        return values.T

    def host_rows(self, array: Any) -> np.ndarray:
        """Return [number, element] on the device as (elements, numbers)."""
        return np.ascontiguousarray(array.T)

    def empty(self, shape: Any, dtype: Any = np.float64) -> Any:
        """Return an array on the device whose values are not set."""
        return np.empty(shape, dtype)

    def host(self, array: Any) -> np.ndarray:
        """Return the values as a numpy array (a copy)."""
        return np.array(array)

    def synchronize(self) -> None:
        """Wait until everything launched is done."""


class _Cuda(Device):
    """An NVIDIA GPU: launches kernels on device arrays."""

    name = "cuda"
    _BLOCK = 128

    def launch(self, kernel: Kernel, count: int, *arguments: Any, least: int = _SERIAL_BELOW) -> None:
        if count:
            kernel.cuda[-(-count // self._BLOCK), self._BLOCK](count, *arguments)

    def array(self, values: Any, dtype: Any = None) -> Any:
        return _numba_cuda().to_device(np.array(values, dtype=dtype, order="C"))

    def rows(self, values: np.ndarray) -> Any:
        return self._turned(_numba_cuda().to_device(np.ascontiguousarray(values)))  # on the GPU, not on the host

    def host_rows(self, array: Any) -> np.ndarray:
        return self.host(self._turned(array))

    def _turned(self, array: Any) -> Any:
        turned = self.empty(array.shape[::-1], array.dtype)
        self.launch(_turn, array.size, array, turned)
        return turned

    def empty(self, shape: Any, dtype: Any = np.float64) -> Any:
        return _numba_cuda().device_array(shape, dtype)

    def host(self, array: Any) -> np.ndarray:
        return array.copy_to_host() if hasattr(array, "copy_to_host") else np.array(array)

    def synchronize(self) -> None:
        _numba_cuda().synchronize()


def _numba_cuda() -> Any:
    """Return Numba's CUDA target."""
    if not hasattr(np, "row_stack"):  # gone in NumPy 2.5; numba-cuda 0.30 still looks it up
        np.row_stack = np.vstack  # noqa: NPY201
    from numba import cuda

    return cuda


def cuda_device_name() -> str | None:
    """Return the name of the NVIDIA GPU that kernels would run on, or None."""
    try:
        cuda = _numba_cuda()
        if not cuda.is_available():
            return None
        name = cuda.get_current_device().name
        return name.decode() if isinstance(name, bytes) else str(name)
    except Exception:
        return None  # no driver, or no CUDA target: both mean that there is no device


@cache
def get_device(name: str = "cpu") -> Device:
    """Return the device called "cpu" or "cuda"."""
    if name == "cpu":
        return Device()
    if name != "cuda":
        raise InputError("unknown device", got=name, allowed="'cpu', 'cuda'")
    if cuda_device_name() is None:
        raise RunError(
            "no CUDA device was found",
            got=name,
            remedy=f"Install the driver and numba-cuda ({OPTIONAL['numba_cuda'].command}), or use device='cpu'. "
            "`motiform doctor` lists what there is.",
        )
    return _Cuda()


def thread_count() -> int:
    """Return on how many cores kernels run, see `threads`."""
    return int(numba.get_num_threads())


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Run kernels on so many cores inside the block. Results do not depend on it."""
    before, most = numba.get_num_threads(), int(getattr(numba.config, "NUMBA_NUM_THREADS", 1))
    if not 1 <= count <= most:
        raise InputError("the number of threads is out of range", got=count, allowed=f"1 to {most}")
    numba.set_num_threads(count)
    try:
        yield
    finally:
        numba.set_num_threads(before)


@kernel
def _turn(i, array, turned):  # type: ignore[no-untyped-def]
    row, column = i // turned.shape[1], i % turned.shape[1]
    turned[row, column] = array[column, row]


_BLOCK = 256


@kernel
def _sum_block(i, values, sums):  # type: ignore[no-untyped-def]
    total = values[i * _BLOCK]
    for k in range(i * _BLOCK + 1, min((i + 1) * _BLOCK, values.shape[0])):
        total += values[k]
    sums[i] = total


def sum_fixed(values: Any, device: Device | None = None) -> float:
    """Sum a one-dimensional device array in an order that depends on its length alone.

    Blocks of 256 are summed from left to right, then their sums likewise: the same bits on any number of threads.
    """
    device = device or get_device("cpu")
    if values.shape[0] == 0:
        return 0.0
    while values.shape[0] > 1:
        sums = device.empty(-(-values.shape[0] // _BLOCK), values.dtype)
        device.launch(_sum_block, sums.shape[0], values, sums)
        values = sums
    return float(device.host(values)[0])
