"""`simulate_many`: copies of a figure, each with what is its own, in one call and one recording."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, MotiformError, MotiformWarning, RunError
from motiform.base.progress import Progress
from motiform.motion.actuation import PostureControl
from motiform.motion.contact import Contacts
from motiform.motion.run import System
from motiform.motion.run.copies import CopiesSystem
from motiform.motion.run.identity import identify
from motiform.motion.run.kinds import find_kind, split_arguments
from motiform.motion.tree import Control, Figure
from motiform.motion.tree.model.state import Controls
from motiform.record import Recording
from motiform.scene.read.load import Scene, load_scene
from motiform.scene.simulate import KINDS, check_not_both, looks_of_run, run_key, run_recorded
from motiform.spatial.checks import as_floats

__all__ = ["CopyArguments", "Each", "FailedCopiesWarning", "simulate_many"]


_FIXED = {"contacts": "time-stepping", "figure": "rk4"}
"""Integrators of fixed steps that are taken where none is given, by the kind of model."""


class FailedCopiesWarning(MotiformWarning):
    """Some copies of `simulate_many` ended before the others."""


@dataclass(frozen=True)
class Each:
    """An argument of `simulate_many` that is another for each copy: a list of them, or a function of its number."""

    values: Sequence[Any] | Callable[[int], Any]

    def listed(self, n: int, name: str) -> list[Any]:
        """Return one for each of n copies."""
        found = [self.values(k) for k in range(n)] if callable(self.values) else list(self.values)
        if len(found) != n:
            raise InputError(f"{name} must be one for each copy", got=len(found), allowed=f"{n}")
        return found


class CopyArguments(TypedDict, total=False):
    """What `simulate_many` takes of what `simulate` takes for figures."""

    t1: float | None
    """End of the run [s]."""
    rate: float | None
    """Samples kept per second [Hz]."""
    integrator: str | None
    """One of fixed steps; "time-stepping" for a figure with contacts, "rk4" without where none is given."""
    step: float | None
    """Its longest step [s]."""
    q0: ArrayLike | None
    """Configuration at the start: (nq,) for all, or (n, nq)."""
    v0: ArrayLike | None
    """Velocities at the start: (nv,) for all, or (n, nv)."""
    controls: Controls | Each
    """As in `simulate`, the same for all, or an `Each`: a list with one for each copy, or a function of its number."""
    loads: Control | Each | None
    """As `controls`."""
    contacts: Contacts | Each | None
    """As `controls`."""


def simulate_many(
    what: Figure | str | Path | Scene | Each,
    n: int,
    *,
    masses: ArrayLike | None = None,
    friction: ArrayLike | None = None,
    stiffness: ArrayLike | None = None,
    damping: ArrayLike | None = None,
    record: Iterable[str] | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
    **arguments: Unpack[CopyArguments],
) -> Recording:
    """Simulate n copies of a figure side by side on all cores, and return one recording with an axis for the copy.

    Every copy has the bits of its own `simulate`, on any number of threads. Time-stepping with controls and loads that
    are numbers alone (posture controls, coordinate drives, effort trajectories, pushes) runs on all cores; functions in
    Python are asked one after the other.

    Parameters
    ----------
    what
        A figure, an `Each` of figures with the same segments, or a scene of a figure; a scene's own options hold.
    n
        Number of copies.
    masses
        Of the segments [kg], (n, segments); moments of inertia grow with them.
    friction
        Of contact points: (n,), or (n, points).
    stiffness, damping
        Gains of the posture control: (n,), or (n, nv).
    record
        Names of the channels to keep; all where it is None. "q", "v" and "tau" alone cost least.
    out, overwrite, resume, progress
        As in `simulate`.
    **arguments
        `t1`, `rate`, `integrator`, `step`, `q0`, `v0`, `controls`, `loads`, `contacts`, see `CopyArguments`.

    Returns
    -------
    Recording
        ``rec["q"]`` is (samples, n, nq), and `take_copy` gives the recording of one copy. One that fails ends alone:
        its numbers are NaN from then on (whole ones −1), an event and the notes say when and why, and
        `FailedCopiesWarning` how many did.

    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InputError("n must be a number of copies", got=repr(n), allowed="a whole number from 1")
    check_not_both(overwrite, resume)
    acting, options = split_arguments(KINDS, arguments, CopyArguments.__annotations__, "simulate_many")
    model, own, options = _base(what, options)
    starts = [acting.pop("q0", None), acting.pop("v0", None)]
    own |= acting
    models = _listed(model, n, "the figure")
    for figure in models:
        if not isinstance(figure, Figure):
            raise InputError(
                "only figures are simulated in copies", got=figure, remedy="Use `motiform.study` for others."
            )
    given: list[dict[str, Any]] = [{} for _ in range(n)]
    for name, value in own.items():
        for k, one in enumerate(_listed(value, n, name)):
            given[k][name] = one
    for name, value, size in zip(("q0", "v0"), starts, (models[0].nq, models[0].nv), strict=True):
        if value is not None:
            for k, row in enumerate(_rows(value, n, size, name, shared=True)):
                given[k][name] = row
    if masses is not None:
        rows = _rows(masses, n, len(models[0].segments), "masses")
        models = [_with_masses(figure, row) for figure, row in zip(models, rows, strict=True)]
    _vary(given, n, friction, stiffness, damping)
    return _run(
        models, given, options, record, {"out": out, "overwrite": overwrite, "resume": resume, "progress": progress}
    )


def _base(what: Any, stated: dict[str, Any]) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return the model or models, the arguments of a scene, and the options."""
    if not isinstance(what, str | Path | Scene):
        return what, {}, stated
    if stated:
        raise InputError("a scene has its own options", got=", ".join(stated), remedy="Change them with load_scene.")
    built = (what if isinstance(what, Scene) else load_scene(what)).build()
    return built.model, dict(built.arguments), dict(built.options)


def _listed(value: Any, n: int, name: str) -> list[Any]:
    return value.listed(n, name) if isinstance(value, Each) else [value] * n


def _rows(value: ArrayLike, n: int, size: int, name: str, *, shared: bool = False) -> np.ndarray:
    """Return numbers for each copy, (n, size); those of one row are for all where they may be shared."""
    array = as_floats(value, where=name)
    if shared and array.shape == (size,):
        array = np.broadcast_to(array, (n, size))
    if array.shape != (n, size):
        allowed = f"({n}, {size})" + (f" or ({size},)" if shared else "")
        raise InputError(f"{name} must have a row for each copy", got=array.shape, allowed=allowed)
    return array


def _per_copy(value: ArrayLike, n: int, size: int, name: str) -> np.ndarray:
    """Return one number or a row for each copy, (n, size)."""
    array = as_floats(value, where=name)
    return np.repeat(array[:, None], size, 1) if array.shape == (n,) else _rows(array, n, size, name)


def _with_masses(figure: Figure, masses: np.ndarray) -> Figure:
    """Return a figure with other masses, and inertia in proportion."""
    changes: dict[str, dict[str, Any]] = {}
    for segment, mass in zip(figure.segments, masses.tolist(), strict=True):
        if mass != segment.mass:
            if not segment.mass > 0:
                got = f"{mass:g} kg for {segment.name!r}"
                raise InputError("a segment without mass has no inertia to scale", where="masses", got=got, allowed="0")
            changes[segment.name] = {"mass": mass, "inertia": np.asarray(segment.inertia) * (mass / segment.mass)}
    return figure.replace(segments=changes) if changes else figure


def _vary(
    given: list[dict[str, Any]], n: int, friction: ArrayLike | None, stiffness: ArrayLike | None,
    damping: ArrayLike | None,
) -> None:  # fmt: skip
    """Put friction and gains into the arguments of each copy."""
    if friction is not None:
        if "contacts" not in given[0]:
            raise InputError("friction is of contacts", remedy="Give contacts=.")
        for own, row in zip(given, _per_copy(friction, n, len(given[0]["contacts"].points), "friction"), strict=True):
            points = zip(own["contacts"].points, row.tolist(), strict=True)
            own["contacts"] = replace(own["contacts"], points=tuple(replace(p, friction=mu) for p, mu in points))
    for name, value in (("stiffness", stiffness), ("damping", damping)):
        if value is not None:
            control = given[0].get("controls")
            if not isinstance(control, PostureControl):
                raise InputError(
                    f"{name} is of a posture control", got=control, remedy="Give controls=posture_control(…)."
                )
            for own, row in zip(given, _per_copy(value, n, control.figure.nv, name), strict=True):
                own["controls"] = replace(own["controls"], **{name: row})


def _run(
    models: list[Figure], given: list[dict[str, Any]], options: dict[str, Any], record: Iterable[str] | None,
    keep: dict[str, Any],
) -> Recording:  # fmt: skip
    """Return the recording of all copies."""
    from motiform.base.kernels import thread_count

    kind, n = find_kind(KINDS, models[0], given[0]), len(models)
    given = [kind.checked(own, kinds=KINDS) for own in given]
    run = kind.options(models[0], {"integrator": _FIXED.get(kind.name, kind.integrator)} | options)
    names = None if record is None else [record] if isinstance(record, str) else list(record)
    systems: list[CopiesSystem] = []

    def make() -> System:
        copies = []
        for k, (model, own) in enumerate(zip(models, given, strict=True)):
            try:
                copies.append(kind.system(model, run, **own))
            except MotiformError as error:
                raise InputError(f"copy {k} cannot be made: {error}") from error
        systems.append(CopiesSystem(copies, names, thread_count()))
        return systems[0]

    manifest: dict[str, Any] = {"title": "", "copies": n}
    functions: list[str] = []
    if keep["out"] is not None:
        key, functions = identify(models, given, run, names)
        manifest["key"] = run_key(key, functions)
    looks = looks_of_run(models[0], given[0])
    rec = run_recorded(make, run, manifest, looks, bool(functions), list, lambda rec: _failures(systems[0], n), **keep)
    if systems and systems[0].failures:
        failed = systems[0].failures
        if len(failed) == n:
            k, (_, error) = min(failed.items(), key=lambda item: item[1][0])
            lost = RunError(f"all copies have failed; the first, copy {k}: {error}")
            lost.recording = rec
            raise lost
        text = f"{len(failed)} of {n} copies ended before the others; the recording's notes say when and why."
        warnings.warn(text, FailedCopiesWarning, stacklevel=3)
    return rec


def _failures(system: CopiesSystem, n: int) -> list[str]:
    """Return when and why copies ended."""
    return [f"copy {k} ended at t = {t:.6g} s: {error}" for k, (t, error) in sorted(system.failures.items())]
