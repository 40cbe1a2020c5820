"""Calls of everything that is public: found by walking the packages, so that what is new is not forgotten."""

import importlib
import inspect
import pkgutil
import random
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from fuzz.mutations import odd_value

NOT_CALLED = {
    "motiform.cli:main": "it reads the command line of this process",
    "motiform.studio:serve": "it waits for a browser",
    "motiform.studio:serve_volume": "it waits for a browser",
    "motiform.studio:Studio": "it opens a port",
    "motiform.bench:run_bench": "it measures for minutes",
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
    """Return small right objects of the classes that functions take, by class."""
    import motiform as mf
    from fuzz.targets import recordings
    from motiform.geometry import Ball, Box
    from motiform.motion.figures import human36
    from motiform.scene import load_scene

    builder = mf.FigureBuilder(name="arm")
    builder.segment("arm", None, mf.joints.revolute((0, 0, 1)), mass=1.0, com=(0, -0.2, 0), inertia=np.eye(3))
    builder.tag("tip", "arm", (0, -0.4, 0))
    found: list[Any] = [builder.build(), human36(), *recordings(), Box((1, 1, 1)), Ball(0.5), Box((1, 1, 1)).to_mesh()]
    found += [mf.Transform(), mf.dress(recordings()[0]), load_scene("handle"), np.random.default_rng(0)]
    for name in ("handle", "cloth", "ripples", "bouncing", "arm-reach", "hand", "kondo-squat"):
        built = load_scene(name, {"scene.duration": 0.01}).build()
        ours = (one for one in built.arguments.values() if type(one).__module__.startswith("motiform"))
        found += [built.model, *ours]
    by_class: dict[type, list[Any]] = {}
    for one in found:
        for kind in type(one).__mro__[:-1]:
            by_class.setdefault(kind, []).append(one)
    return by_class


def good_value(hint: Any, name: str, draw: random.Random, folder: Path) -> Any:
    """Return a value that a parameter of this type and name takes, as far as one can tell."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if any(getattr(one, "_is_protocol", False) or "numpy" in repr(one) for one in arguments):
            return good_array(name, draw)
        return good_value(draw.choice([one for one in arguments if one is not type(None)]), name, draw, folder)
    if origin is Literal:
        return draw.choice(arguments)
    if hint is float or ("float" in repr(hint) and not arguments):
        return draw.choice((0.1, 1.0, 2.0, 10.0))
    if hint is int:
        return draw.choice((0, 1, 2, 5))
    if hint is bool:
        return draw.random() < 0.5
    if hint is str:
        return draw.choice(("x", "y", "arm", "tip", "position", "cpu", "m"))
    if "Path" in repr(hint) or name in ("path", "out", "folder"):
        return folder / draw.choice(("a.mf", "a.csv", "a.stl", "a.png", "a.wav", "a.toml", "a.c3d"))
    if hint is np.ndarray or origin is np.ndarray or "numpy" in repr(hint):
        return good_array(name, draw)
    if origin in (Sequence, Iterable, list, tuple):
        inner = arguments[0] if arguments else float
        return [good_value(inner, name, draw, folder) for _ in range(draw.choice((1, 2, 3)))]
    if origin in (Mapping, dict):
        return {"a": good_value(arguments[1], name, draw, folder)} if len(arguments) == 2 else {}
    if isinstance(hint, type) and hint in pool():
        return draw.choice(pool()[hint])
    if origin is Callable or "Callable" in repr(hint):
        return lambda *given: 0.0
    return good_array(name, draw) if draw.random() < 0.5 else odd_value(draw, plain=False)


def good_array(name: str, draw: random.Random) -> Any:
    """Return numbers of a frequent shape."""
    shape = draw.choice(((), (1,), (3,), (3,), (3,), (4,), (3, 3), (5, 3), (2, 2), (1, 6)))
    if name in ("rotation", "inertia"):
        return np.eye(3)
    if name in ("q", "v", "a", "tau"):
        return np.zeros(draw.choice((1, 42)))
    return np.random.default_rng(draw.randrange(100)).normal(size=shape)


@cache
def parameters(name: str) -> list[tuple[inspect.Parameter, Any]]:
    """Return the parameters of a public function, with their types where they can be resolved."""
    what = public()[name]
    try:
        known = list(inspect.signature(what).parameters.values())
    except (TypeError, ValueError):
        return []
    function = what.__init__ if isinstance(what, type) else what
    try:
        hints = get_type_hints(inspect.unwrap(function))
    except (NameError, TypeError, AttributeError):
        hints = {}
    return [(one, hints.get(one.name, Any)) for one in known]


def call_anything(draw: random.Random, folder: Path) -> None:
    """Call something public with right arguments but for one or two odd ones."""
    name = draw.choice(list(public()))
    call(name, draw, folder)


def call(name: str, draw: random.Random, folder: Path) -> None:
    """Call one public function with an odd argument or two."""
    given: dict[str, Any] = {}
    first: list[Any] = []
    for one, hint in parameters(name):
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        if one.default is not one.empty and draw.random() < 0.7:
            continue
        value = good_value(hint, one.name, draw, folder)
        if one.kind is one.POSITIONAL_ONLY:
            first.append(value)
        else:
            given[one.name] = value
    names = sorted(given)
    for key in draw.sample(names, min(len(names), draw.choice((0, 1, 1, 1, 2)))):
        given[key] = odd_value(draw, plain=False)
    what = public()[name]
    found = what(*first, **given)
    if inspect.isgenerator(found):
        next(found, None)
