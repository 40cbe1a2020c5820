"""A human that stands and one that is pushed and falls, and our run of it."""

from functools import lru_cache
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

__all__ = ["MOTIONS", "RATE", "STEP", "Motion", "MotionPeer", "Way", "depth_of", "motion", "run_ours"]

Array = np.ndarray
Way = Literal["dormand-prince", "time-stepping"]
#: Names of the motions.
MOTIONS = ("standing", "fall")
STEP = 1e-3  # [s] of fixed steps
RATE = 100  # samples per second
_FRICTION = 0.8
_PUSH, _PUSHED = 150.0, (0.2, 0.5)  # [N] forward on the pelvis, [s] from when to when
_BALLS = {  # [m] radii of what may touch the ground beside the feet
    "dactylion": 0.02,
    "femoral_lateral_epicn": 0.04,
    "humeral_lateral_epicn": 0.03,
    "trochanterion": 0.05,
}
_LEG = (1500.0, 60.0)  # [N·m/rad], [N·m·s/rad]: both ankles carry four times what tips the body
_MIDDLE = {"vertex": 0.02, "substernale": 0.02, "cervicale": 0.03}


class Motion(NamedTuple):
    """A figure, what it may touch, its control, and how long it is followed [s]."""

    figure: Any
    contacts: Any
    control: Any
    tau: Array
    """Efforts that hold it at rest, a part of the control, (nv,)."""
    pushed: tuple[float, float]
    seconds: float

    @property
    def push(self) -> Array:
        """Generalised forces of the push, (nv,)."""
        out = np.zeros(self.figure.nv)
        if self.pushed[1] > self.pushed[0]:
            out[self.figure.places("pelvis_forward", "v")] = _PUSH
        return out


@lru_cache(2)
def motion(name: str) -> Motion:
    """Return a motion by its name: springs and dampers of 3 Hz hold the posture, and standing effort is added.

    For standing the springs of the legs carry the body; in the fall they are those of each limb alone.
    """
    from motiform.motion.actuation import EffortTrajectory, posture_control, standing_effort
    from motiform.motion.contact import Contacts, floor, points_of_tags
    from motiform.motion.figures import human36

    figure = human36(limits="anatomical")
    points = points_of_tags(figure, friction=_FRICTION)
    radii = {f"{side}_{tag}": r for tag, r in _BALLS.items() for side in "rl"} | _MIDDLE
    for tag, radius in radii.items():
        points += points_of_tags(figure, [tag], radius=radius, friction=_FRICTION)
    contacts = Contacts(points, (floor(),))
    q = figure.neutral()
    tau = standing_effort(figure, contacts, q).tau
    seconds, pushed = (2.0, (0.0, 0.0)) if name == "standing" else (1.5, _PUSHED)
    way = Motion(figure, contacts, None, tau, pushed, seconds)
    push = way.push

    pushing = [0.0, *pushed] if pushed[1] > pushed[0] else [0.0]
    efforts = EffortTrajectory(pushing, [tau, tau + push, tau][: len(pushing)], hold=True)
    gains: dict[str, Any] = _standing_gains(figure) if name == "standing" else {}
    control = posture_control(figure, q, frequency=3.0, feedforward=efforts, **gains)
    return way._replace(control=control)


def _standing_gains(figure: Any) -> dict[str, Any]:
    from motiform.motion.tree import inertia_matrix

    omega = 2 * np.pi * 3.0
    carried = np.diag(inertia_matrix(figure, figure.neutral())).copy()
    leg = [k for k, name in enumerate(figure.coordinates) if any(x in name for x in ("ankle", "knee", "hip"))]
    K, D = omega**2 * carried, 2 * omega * carried
    K[leg], D[leg] = _LEG
    return {"stiffness": K, "damping": D}


def run_ours(way: Motion, integrator: Way, rate: int = RATE) -> Any:
    """Return the recording of a motion by our public function."""
    from motiform.scene import simulate

    return simulate(
        way.figure,
        q0=way.figure.neutral(),
        controls=way.control,
        contacts=way.contacts,
        t1=way.seconds,
        rate=rate,
        integrator=integrator,
        rtol=1e-6,
        atol=1e-8,
        step=STEP,
    )


def depth_of(recording: Any) -> float:
    """Return the deepest penetration of the samples of a recording [m]."""
    return max(0.0, -float(recording["contact.gap"].min()))


class MotionPeer(Protocol):
    """A motion by another engine."""

    def __call__(self) -> Array:
        """Run it and return q at the samples."""

    def depth(self) -> float:
        """Return the deepest penetration after any step of a run [m]."""

    def check(self, case: str) -> None:
        """Refuse a model that moves otherwise than ours."""
