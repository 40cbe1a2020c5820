"""Posture control: springs and dampers of the joints toward a posture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.actuation.layouts import ControlLaws
from motiform.motion.actuation.pack import LawArrays, flatten_laws, pack_efforts, pack_laws
from motiform.motion.actuation.trajectories import EffortTrajectory, PackedTrajectory, Posture, PostureTrajectory
from motiform.motion.run import check_number
from motiform.motion.tree import Control, Figure, FigureState, inertia_matrix
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import call_checked, ready
from motiform.spatial.checks import as_floats

__all__ = ["PostureControl", "posture_control"]

Gains = ArrayLike | Mapping[str, float]
"""One number for all coordinates, one for each velocity (nv,), or numbers by names of coordinates."""
_ENDLESS = 1e300  # effort of a drive without a limit


@dataclass(frozen=True, eq=False)
class PostureControl:
    """tau = K (q* − q) + D (v* − v) + feedforward on plain coordinates.

    Time-stepping takes K and D at the end of each step, which keeps stiff ones stable, but for efforts at their limit.
    """

    figure: Figure
    posture: Posture
    """q* (nq,) and v* (nv,) as a function of time [s]."""
    stiffness: Array
    """K [N·m/rad or N/m], one number or (nv,), zero where nothing drives."""
    damping: Array
    """D [N·m·s/rad or N·s/m], one number or (nv,)."""
    feedforward: Control | None = None
    limit: Array | None = None
    """Largest |tau| [N·m or N], one number or (nv,)."""
    q_places: Array = field(init=False, repr=False)
    v_places: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        places = plain_places(self.figure)
        for name, value in zip(("q_places", "v_places"), places, strict=True):
            object.__setattr__(self, name, value)
        for name in ("stiffness", "damping", "limit"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _gains(self.figure, getattr(self, name), name, self.v_places))

    @property
    def jumps(self) -> tuple[float, ...]:
        """Instants at which the feedforward jumps, if it names them [s]: steps of the simulation end there."""
        return tuple(getattr(self.feedforward, "jumps", ()))

    @property
    def compiled(self) -> bool:
        """Whether it is numbers alone, with no function of the user's."""
        return isinstance(self.posture, PostureTrajectory) and (
            self.feedforward is None or isinstance(self.feedforward, EffortTrajectory)
        )

    @cached_property
    def arrays(self) -> LawArrays:
        """The law as kernels read it; what functions of the user's give is written at each instant."""
        nv, given = self.figure.nv, self.feedforward
        if given is not None and not isinstance(given, EffortTrajectory):
            given = EffortTrajectory([0.0], [np.zeros(nv)])
        times, efforts = pack_efforts(given, nv)
        if given is not None and efforts.shape[2] != nv:
            got, allowed = f"{efforts.shape[2]} numbers", f"{nv}"
            raise InputError("feedforward must be efforts of the figure", got=got, allowed=allowed)
        return LawArrays(
            times,
            efforts,
            self._way.times,
            self._way.pieces,
            self.q_places,
            self.v_places,
            self.stiffness,
            self.damping,
            self.limit,
        )

    @cached_property
    def packed(self) -> PackedActuator | None:
        """The law as compiled steps take it; None with functions of the user's."""
        return flatten_laws(self._laws, limited=self.limit is not None) if self.compiled else None

    @cached_property
    def _way(self) -> PackedTrajectory:
        return PackedTrajectory(self.figure, self.posture)

    @cached_property
    def _laws(self) -> ControlLaws:
        return pack_laws(self.figure.nq, self.figure.nv, [self.arrays])

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the forces at an instant, (nv,)."""
        from motiform.motion.actuation.law_kernels import control_forces_at

        laws = self._laws
        nv = self.figure.nv
        if not self.compiled:
            self._way.ask(t, laws.wanted)
            if self.feedforward is not None and not isinstance(self.feedforward, EffortTrajectory):
                laws.efforts[0, 0] = call_checked(self.feedforward, t, state, (nv,), "feedforward")
        out = np.empty(nv)
        control_forces_at.function(t, laws, ready(state.q, self.figure.nq, "q"), ready(state.v, nv, "v"), out)
        return out

    def saturated(self, t: float, state: FigureState) -> Array | bool:
        """Return which efforts are at their limit, (nv,)."""
        return False if self.limit is None else np.abs(self(t, state)) >= self.limit


def plain_places(figure: Figure, segments: Sequence[str] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the places in q and in v of what joints drive: plain coordinates, but for a root's free motion.

    With `segments` only those of their joints.
    """
    own = [
        segment.name
        for segment in figure.segments
        if segment.name not in figure.floating and (segments is None or segment.name in segments)
    ]
    return figure.plain_places(own)


def _gains(figure: Figure, values: ArrayLike, name: str, driven: np.ndarray) -> Array:
    found = as_floats(values, where=f"posture control, {name}")
    if found.shape not in ((), (figure.nv,)) or (found < 0).any():
        raise InputError(
            f"{name} must not be negative, one for all or one for each velocity",
            where="posture control",
            got=repr(values),
            allowed=f"one number or {figure.nv}, not below 0",
        )
    out = np.zeros(figure.nv)
    out[driven] = np.broadcast_to(found, (figure.nv,))[driven]
    return out


def _named_gains(figure: Figure, given: Gains | None, name: str, usual: ArrayLike, driven: np.ndarray) -> Array:
    """Return gains (nv,), zero but for what is driven; a mapping changes the usual ones of some coordinates."""
    if not isinstance(given, Mapping):
        return _gains(figure, usual if given is None else given, name, driven)
    out = _gains(figure, usual, name, driven)
    for coordinate, value in given.items():
        places = figure.places(coordinate, "v")
        if not np.isin(places, driven).all():
            raise InputError("the coordinate must be one that a joint drives", where=name, got=coordinate)
        out[places] = check_number(value, coordinate, f"posture control, {name}", least=0.0)
    return out


def posture_control(
    figure: Figure,
    posture: ArrayLike | Posture,
    *,
    frequency: float = 3.0,
    ratio: float = 1.0,
    stiffness: Gains | None = None,
    damping: Gains | None = None,
    feedforward: Control | ArrayLike | None = None,
    limit: Gains | None = None,
    segments: Sequence[str] | None = None,
) -> PostureControl:
    """Return springs and dampers toward a posture, or a trajectory of postures.

    Where stiffness [N·m/rad or N/m] and damping are not given, each coordinate alone, with all that it carries at the
    posture, would swing at `frequency` [Hz] with the damping `ratio` (1: critical). They may be given by names of
    coordinates, ``{"knee": 300.0}``; those not named keep theirs. `limit` [N·m or N] bounds the efforts, likewise;
    those not named have none. `feedforward` is a control or numbers (nv,) that are added, such as
    `standing_effort(...).tau`. With `segments` only the joints of these segments are driven.
    """
    way: Posture = posture if callable(posture) else PostureTrajectory(figure, [0.0], [posture])
    q = as_floats(way(0.0)[0], where="posture")
    if q.shape != (figure.nq,):
        raise InputError("posture must have nq numbers", got=f"shape {q.shape}", allowed=f"({figure.nq},)")
    carried, driven = np.diag(inertia_matrix(figure, q)), plain_places(figure, segments)[1]
    omega = 2 * np.pi * check_number(frequency, "frequency", "posture control", above=0.0)
    usual = 2 * check_number(ratio, "ratio", "posture control", least=0.0) * omega * carried
    K = _named_gains(figure, stiffness, "stiffness", omega * omega * carried, driven)
    D = _named_gains(figure, damping, "damping", usual, driven)
    bound = None if limit is None else _named_gains(figure, limit, "limit", np.full(figure.nv, _ENDLESS), driven)
    forward: Control | None
    if feedforward is None or callable(feedforward):
        forward = feedforward
    else:
        forward = EffortTrajectory([0.0], [feedforward])
    return PostureControl(figure, way, K, D, forward, bound)
