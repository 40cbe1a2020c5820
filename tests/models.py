"""Models that several tests share, and what interrupts a run."""

from collections.abc import Callable

import numpy as np

from motiform import FigureBuilder, Transform, contact, joints
from motiform.geometry import Shape

G = 9.81
DOWN = (0.0, -G, 0.0)
WEIGHTLESS = (0.0, 0.0, 0.0)
Z = (0.0, 0.0, 1.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def shifted(x=0.0, y=0.0, z=0.0):
    return Transform.translation_of((x, y, z))


def flat(moment):
    """Moments of a flat body, of which only the one about z counts."""
    return np.diag([moment / 2, moment / 2, moment])


def free_body(shape: Shape | None = None, mass=1.0, name="body", *, inertia=None, gravity=DOWN, placement=None):
    """One free segment: a shape of even density, or moments about the three axes."""
    b = FigureBuilder(gravity=gravity)
    matter = {"mass": mass, "inertia": np.diag(inertia or (0.1, 0.1, 0.1))}
    if shape is not None:
        matter = {"mass": shape.mass_properties(mass=mass), "shape": shape}
    b.segment(name, None, joints.free(), placement=placement, **matter)
    return b.build()


def on_floor(figure, friction=None, restitution=0.0, ground=None, **laws):
    """All shapes of a figure on the floor, or on other ground."""
    points = [
        point
        for segment in figure.segments
        if segment.parts
        for point in contact.points_of_shape(figure, segment.name, friction=friction, restitution=restitution)
    ]
    return contact.Contacts(tuple(points), (contact.floor() if ground is None else ground,), **laws)


def pendulum(length=0.7, mass=1.3, inertia=None, **more):
    """A bob on a hinge about z; `length` is that to its centre of mass, its tip is as far again."""
    b = FigureBuilder(name="pendulum")
    moments = np.zeros((3, 3)) if inertia is None else inertia
    b.segment("bob", None, joints.revolute(Z), mass=mass, com=(0, -length, 0), inertia=moments, **more)
    b.tag("tip", "bob", (0, -2 * length, 0))
    return b.build()


def two_links(
    length=0.4, *, names=("upper", "lower"), masses=(1.0, 0.7), centers=(0.2, 0.2), inertias=(0.02, 0.01), end=None
):
    """Two segments that hang from hinges about z, the second `length` below the first; centres below the hinges."""
    b = FigureBuilder()
    for name, parent, mass, center, inertia in zip(names, (None, names[0]), masses, centers, inertias, strict=True):
        b.segment(
            name,
            parent,
            joints.revolute(Z),
            placement=shifted(y=-length if parent else 0.0),
            mass=mass,
            com=(0, -center, 0),
            inertia=inertia * np.eye(3) if np.ndim(inertia) == 0 else inertia,
        )
    if end is not None:
        b.tag("end", names[1], (0, -end, 0))
    return b.build()


class Stop(Exception):
    """What a test raises to interrupt a run."""


def stop_after(fraction: float, error: type[BaseException] = KeyboardInterrupt) -> Callable[[float], None]:
    """Return a progress function that interrupts the work once more than a fraction is done."""

    def stop(done: float) -> None:
        if done > fraction:
            raise error

    return stop
