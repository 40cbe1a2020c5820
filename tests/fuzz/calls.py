"""Calls of everything that is public: found by walking the packages, so that what is new is not forgotten."""

import contextlib
import copy
import dataclasses
import enum
import importlib
import inspect
import pkgutil
import random
import signal
import tempfile
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
import pandas as pd

from fuzz.mutations import odd_value
from motiform.base.errors import stated_types

NOT_CALLED = {
    "motiform.cli:main": "it reads the command line of this process",
    "motiform.studio:serve": "it waits for a browser",
    "motiform.studio:serve_volume": "it waits for a browser",
    "motiform.studio:Studio": "it opens a port",
    "motiform.sweep:run_tasks": "it starts processes",
    "motiform:film": "it starts an encoder and draws for seconds",
}
"""Public names that are not called, and why."""


@cache
def public() -> dict[str, Callable[..., Any]]:
    """Return all public functions and classes by where they are, each once."""
    import motiform

    packages = ["motiform", *(m.name for m in pkgutil.walk_packages(motiform.__path__, "motiform.") if m.ispkg)]
    found: dict[int, tuple[str, Callable[..., Any]]] = {}
    for package in packages:
        if any(part.startswith("_") for part in package.split(".")):
            continue
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            what, place = getattr(module, name), f"{package}:{name}"
            alone = isinstance(what, types.ModuleType) and not hasattr(what, "__path__")
            every = [(f"{place}.{own}", getattr(what, own)) for own in what.__all__] if alone else []
            for where, one in [(place, what), *every]:
                if callable(one) and getattr(one, "__module__", "").startswith("motiform") and not _only_said(one):
                    found.setdefault(id(one), (where, one))
    return {name: what for name, what in sorted(found.values(), key=lambda pair: pair[0]) if name not in NOT_CALLED}


def _only_said(what: object) -> bool:
    """Whether a class has no objects of its own, or is an error."""
    shared = inspect.isabstract(what) or getattr(what, "_is_protocol", False)
    return shared or (isinstance(what, type) and issubclass(what, BaseException))


@cache
def pool() -> dict[type, list[Any]]:
    """Return small right objects of the classes that functions take and that have methods, by class."""
    import motiform as mf
    from fuzz.objects import further_objects
    from fuzz.targets import readers, recordings
    from motiform.geometry import Ball, Box
    from motiform.motion.figures import human36
    from motiform.scene import load_scene

    builder = mf.FigureBuilder(name="arm")
    builder.segment("arm", None, mf.joints.revolute((0, 0, 1)), mass=1.0, com=(0, -0.2, 0), inertia=np.eye(3))
    builder.tag("tip", "arm", (0, -0.4, 0))
    found: list[Any] = [builder.build(), human36(), *recordings(), Box((1, 1, 1)), Ball(0.5), Box((1, 1, 1)).to_mesh()]
    found += [mf.Transform.identity(), mf.dress(recordings()[0]), load_scene("handle"), np.random.default_rng(0)]
    found += further_objects()
    for name in SCENES:
        built = load_scene(name, {"scene.duration": 0.01}).build()
        found += [built.model, *built.arguments.values(), built]
    by_class: dict[type, list[Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, data, read in readers():
            (Path(folder) / name).write_bytes(data)
            found.append(read(Path(folder) / name))
    for one in found:
        _add(one, by_class, set())
    _make_others(by_class)
    return by_class


SCENES = ("handle", "cloth", "ripples", "bouncing", "arm-reach", "hand", "kondo-squat", "harp", "footprint", "mobile")
_MOST = 3  # objects of one class


def _add(one: Any, by_class: dict[type, list[Any]], seen: set[int]) -> None:
    """Add an object and those of our classes that it consists of."""
    if id(one) in seen:
        return
    seen.add(id(one))
    kinds = [kind for kind in type(one).__mro__[:-1] if kind not in (tuple, list, dict)]
    if type(one).__module__.startswith("motiform") or isinstance(one, np.random.Generator):
        for kind in kinds:
            kept = by_class.setdefault(kind, [])
            if len(kept) < _MOST and not any(other is one for other in kept):
                kept.append(one)
        inside = [getattr(one, key, None) for key in getattr(type(one), "__slots__", ())]
        inside += list(getattr(one, "__dict__", {}).values()) + (list(one) if isinstance(one, tuple) else [])
    elif isinstance(one, list | tuple):
        inside = list(one[:10])
    elif isinstance(one, dict):
        inside = list(one.values())[:10]
    else:
        return
    for part in inside:
        _add(part, by_class, seen)


def _make_others(by_class: dict[type, list[Any]]) -> None:
    """Make objects of the public classes that are still missing, as far as right arguments are guessed.

    What functions return is taken from them first; what is still missing is put together by hand.
    """
    makers = sorted(public().items(), key=lambda pair: isinstance(pair[1], type))
    home = tempfile.TemporaryDirectory()
    with home as folder, contextlib.chdir(folder), warnings.catch_warnings(), _at_most(_SECONDS):
        warnings.simplefilter("ignore")
        for turn in range(2):  # those that are made of others come second
            for name, what in makers:
                made = [what] if isinstance(what, type) else [kind for kind in _returned(what) if kind in _kinds()]
                if not any(kind not in by_class for kind in made):
                    continue
                for trial in range(30 if isinstance(what, type) else 5):
                    draw = random.Random(f"{name}:{turn}:{trial}")
                    with contextlib.suppress(Exception):
                        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
                        given = {
                            one.name: good_value(hint, one.name, draw, Path(folder), by_class)
                            for one, hint in parameters(what)
                            if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
                        }
                        _add(what(**given), by_class, set())
                        break


_SECONDS = 20.0  # of the processor, of one trial: none takes so long, so that the pool is always the same


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Let every trial that sets the alarm end with an exception."""

    def end(*_: object) -> None:
        raise TimeoutError(f"{seconds} s")

    before = signal.signal(signal.SIGPROF, end)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@cache
def _kinds() -> frozenset[type]:
    return frozenset(what for what in public().values() if isinstance(what, type))


@cache
def _returned(function: Callable[..., Any]) -> tuple[type, ...]:
    """Return the classes in what a function says that it returns."""
    said = stated_types(inspect.unwrap(function)).get("return")
    parts = [said, *get_args(said)]
    return tuple(one for one in parts if isinstance(one, type))


@cache
def methods() -> list[tuple[type, str]]:
    """Return the public methods and properties of the public classes of which there are objects."""
    found = []
    for kind in {what: None for what in public().values() if isinstance(what, type) and what in pool()}:
        for name in sorted(set(dir(kind))):
            if f"{kind.__name__}.{name}" in NOT_CALLED or (name.startswith("_") and name not in SPECIAL):
                continue
            owner = next(one for one in kind.__mro__ if name in vars(one))
            member = vars(owner)[name]
            if name in getattr(kind, "__dataclass_fields__", ()):
                continue  # a function that is a value
            if owner.__module__.startswith("motiform") and isinstance(member, MEMBERS):
                found.append((kind, name))
    return found


MEMBERS = (types.FunctionType, classmethod, staticmethod, property, cached_property)
SPECIAL = ("__call__", "__getitem__", "__matmul__", "__add__", "__or__", "__contains__", "__len__", "__repr__")


DURATIONS = ("t1", "duration", "seconds", "until")  # a right one could keep a run busy for minutes


def good_value(hint: Any, name: str, draw: random.Random, folder: Path, known: Any = None) -> Any:
    """Return a value that a parameter of this type and name takes, as far as one can tell, of the known objects."""
    origin, arguments = get_origin(hint), get_args(hint)
    known = pool() if known is None else known
    if origin in (Union, types.UnionType):
        if any(getattr(one, "_is_protocol", False) or "numpy" in repr(one) for one in arguments):
            return good_array(name, draw)
        return good_value(draw.choice([one for one in arguments if one is not type(None)]), name, draw, folder, known)
    if origin is Literal:
        return draw.choice(arguments)
    if hint is float or ("float" in repr(hint) and not arguments):
        return draw.choice((0.01, 0.02) if name in DURATIONS else (0.1, 1.0, 2.0, 10.0))
    if hint is int:
        return draw.choice((0, 1, 2) if name == "detail" else (0, 1, 2, 5))
    if hint is bool:
        return draw.random() < 0.5
    if hint is str:
        return draw.choice(("x", "y", "arm", "tip", "position", "cpu", "m"))
    if isinstance(hint, type) and hint in known:
        return draw.choice(known[hint])
    if origin is Callable or "Callable" in repr(hint):
        return lambda *given: 0.0
    if "PathLike" in repr(hint) or "pathlib" in repr(hint) or name in ("path", "out", "folder"):
        return folder / draw.choice(("a.mf", "a.csv", "a.stl", "a.png", "a.wav", "a.toml", "a.c3d"))
    if hint is np.ndarray or origin is np.ndarray or "numpy" in repr(hint):
        return good_array(name, draw)
    if origin is tuple and len(arguments) > 1 and arguments[-1] is not Ellipsis:
        return tuple(good_value(one, name, draw, folder, known) for one in arguments)
    if origin in (Sequence, Iterable, list, tuple):
        inner = arguments[0] if arguments else float
        return [good_value(inner, name, draw, folder, known) for _ in range(draw.choice((1, 2, 3)))]
    if origin in (Mapping, dict):
        return {"a": good_value(arguments[1], name, draw, folder, known)} if len(arguments) == 2 else {}
    return good_array(name, draw) if draw.random() < 0.5 else odd_argument(draw)


def good_array(name: str, draw: random.Random) -> Any:
    """Return numbers of a frequent shape."""
    shape = draw.choice(((), (1,), (3,), (3,), (3,), (4,), (3, 3), (5, 3), (2, 2), (1, 6)))
    if name in ("rotation", "inertia"):
        return np.eye(3)
    if name in ("faces", "pairs"):
        return np.array([[0, 1, 2]] if name == "faces" else [[0, 1]])
    if name in ("q", "v", "a", "tau"):
        return np.zeros(draw.choice((1, 42)))
    return np.random.default_rng(draw.randrange(100)).normal(size=shape)


@cache
def parameters(what: Callable[..., Any]) -> list[tuple[inspect.Parameter, Any]]:
    """Return the parameters of a public function or method, with their types where they can be resolved."""
    try:
        known = list(inspect.signature(what).parameters.values())
    except (TypeError, ValueError):
        return []
    named = isinstance(what, type) and hasattr(what, "_fields")
    function = what.__init__ if isinstance(what, type) and not named else what
    hints = stated_types(inspect.unwrap(function)) if hasattr(inspect.unwrap(function), "__annotations__") else {}
    return [(one, hints.get(one.name, Any)) for one in known]


def altered(one: Any, draw: random.Random) -> Any:
    """Return a copy of a dataclass or named tuple, one array or number of which, or of its parts, is nearly right."""
    plain = hasattr(one, "_fields")
    names = one._fields if plain else [field.name for field in dataclasses.fields(one) if field.init]
    changes = {name: changed for name in names if (changed := _change(getattr(one, name, None), draw)) is not None}
    if not changes:
        return one
    name = draw.choice(list(changes))
    return (one._replace if plain else partial(dataclasses.replace, one))(**{name: changes[name]()})


def _change(value: Any, draw: random.Random) -> Callable[[], Any] | None:
    """Return what changes a value, None where it holds neither an array nor a number."""
    if isinstance(value, int | float) and not isinstance(value, bool | enum.Enum):
        whole = isinstance(value, int)
        return partial(draw.choice, (-1, 0, 1, value + 1, 2**40) if whole else (*_ENDS, -value, 1e3 * value))
    if isinstance(value, np.ndarray):
        return partial(nearly, value, draw) if value.ndim else None
    if _has_fields(value):
        return partial(altered, value, draw)
    if isinstance(value, dict) and value:
        key = draw.choice(list(value))
        inner = _change(value[key], draw)
        return None if inner is None else lambda: {**value, key: inner()}
    if isinstance(value, list | tuple) and value:
        k = draw.randrange(len(value))
        inner = _change(value[k], draw)
        if inner is None or draw.random() < 0.2:
            return lambda: draw.choice((value[:-1], [*value, value[-1]], value[::-1]))
        return lambda: [*value[:k], inner(), *value[k + 1 :]]
    return None


_ENDS = (np.nan, np.inf, -1.0, 0.0, 1.0, 1e-300, 1e-30, 1e30, 1e99, 1e200, 1e308)


def _has_fields(one: Any) -> bool:
    return not isinstance(one, type) and (dataclasses.is_dataclass(one) or hasattr(one, "_fields"))


def nearly(value: np.ndarray, draw: random.Random) -> np.ndarray:
    """Return an array that differs in its size, its order or one of its numbers."""
    whole, kind = value.dtype.kind in "iu" and value.size, draw.randrange(8)
    if kind < 3 or not value.size:
        return [value[:-1], np.concatenate([value, value[-1:]]), value[:0], value[..., :-1]][draw.randrange(4)]
    if kind == 3:
        return value.T if draw.random() < 0.5 else value[None]
    if kind == 4:
        return value[::-1]
    if value.dtype.kind not in "iuf" or value.dtype.itemsize < 4:
        return value
    found = value.copy()
    odd = (-1, value.size, len(value), 10**6, 2**31 - 1) if whole else (np.nan, np.inf, -1.0, 0.0, 1e200)
    found.flat[draw.randrange(found.size)] = draw.choice(odd)
    return found


def odd_argument(draw: random.Random) -> Any:
    """Return what only Python can give, or what a file can, too."""
    return draw.choice(_ODD)() if draw.random() < 0.5 else odd_value(draw, plain=False)


def _fails(*_: Any) -> None:
    raise ValueError("of the caller")


_ODD: tuple[Callable[[], Any], ...] = (
    lambda: np.zeros((0, 3)),
    lambda: np.full(3, np.nan),
    lambda: np.full((2, 3), 1e200),
    lambda: np.array(["a", 1, None], object),
    lambda: np.ones(3, complex),
    lambda: np.array(["2020-01-01"], "datetime64[D]"),
    lambda: np.datetime64("2020-01-01"),
    lambda: np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False]),
    lambda: np.ones((2, 6))[:, ::2],
    lambda: np.ones(3, np.float32),
    lambda: np.arange(3),
    lambda: np.array("text"),
    lambda: np.array(2.0),
    lambda: np.zeros(3, bool),
    lambda: np.zeros(2, [("a", float), ("b", int)]),
    lambda: pd.DataFrame({"a": [1.0, 2.0]}),
    lambda: pd.Series([1.0, None]),
    lambda: (k for k in range(3)),
    lambda: {1, 2, 3},
    lambda: Decimal("0.1"),
    lambda: Fraction(1, 3),
    lambda: 1j,
    lambda: 10**9,
    lambda: 10**18,
    lambda: range(3),
    lambda: memoryview(b"abc"),
    lambda: lambda *_: None,
    lambda: lambda *_: "x",
    lambda: lambda *_: np.nan,
    lambda: _fails,
    lambda: int,
    lambda: Path("nowhere/at/all"),
    lambda: Path(),
)


def ready() -> None:
    """Make what calls need."""
    assert public()
    assert methods()


def call_anything(draw: random.Random, folder: Path) -> None:
    """Call something public with right arguments but for one or two odd ones."""
    if draw.random() < 0.5:
        what = draw.choice(list(public().values()))
        call(what, parameters(what), draw, folder)
    else:
        call_method(draw, folder)


def call_method(draw: random.Random, folder: Path) -> None:
    """Call a public method, or ask for a property, of a copy of a right object."""
    kind, name = draw.choice(methods())
    one = draw.choice(pool()[kind])
    with contextlib.suppress(Exception):  # what cannot be copied keeps what earlier cases did to it
        one = copy.deepcopy(one)
    if _has_fields(one) and draw.random() < 0.4:
        one = altered(one, draw)
    member = inspect.getattr_static(kind, name)
    if isinstance(member, property) and member.fset is not None and draw.random() < 0.5:
        setattr(one, name, odd_argument(draw))
    what = getattr(one, name)
    if not isinstance(member, property | cached_property):
        bound = isinstance(member, staticmethod | classmethod)
        plain = parameters(member.__func__ if bound else member)
        call(what, plain if isinstance(member, staticmethod) else plain[1:], draw, folder)


def call(what: Callable[..., Any], known: Sequence[Any], draw: random.Random, folder: Path) -> None:
    """Call a function with an odd argument or two."""
    given: dict[str, Any] = {}
    first: list[Any] = []
    for one, hint in known:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        if one.default is not one.empty and draw.random() < 0.7:
            continue
        value = good_value(hint, one.name, draw, folder)
        if _has_fields(value) and draw.random() < 0.2:
            value = altered(value, draw)
        if one.kind is one.POSITIONAL_ONLY:
            first.append(value)
        else:
            given[one.name] = value
    names = sorted(given)
    for key in draw.sample(names, min(len(names), draw.choice((0, 1, 1, 1, 2)))):
        given[key] = odd_argument(draw)
    found = what(*first, **given)
    if inspect.isgenerator(found):
        next(found, None)
