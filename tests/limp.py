"""Limp figures that fall on a floor: predefined ones and random trees with light ends, and how their energy grows.

`python tests/limp.py COUNT [FIRST]` runs so many for five seconds and prints what went wrong, and the worst of all.
"""

import sys
import time

import numpy as np

from motiform import FigureBuilder, contact, figures, joints, simulate
from motiform.base.errors import RunError
from motiform.geometry import Capsule
from motiform.motion.tree import advance, tags
from motiform.spatial import Transform

H = 1e-3  # s
ALLOWED = 1e-2  # of the largest kinetic energy: ten steps in a row that add as much as a step may
NAMED = (figures.human36, figures.bip, figures.kondo)


def _joint(rng, limited):
    """Return a joint of any kind; half of those of one axis are limited."""
    axis, kind = rng.normal(size=3), int(rng.integers(5))
    limits = (-float(rng.uniform(0.1, 2)), float(rng.uniform(0.1, 2))) if limited else None
    own = None if limits is None else [limits, limits]
    return [
        joints.spherical(),
        joints.cardan("zyx", limits=None if limits is None else [limits] * 3),
        joints.universal((1, 0, 0), (0, 0, 1), limits=own),
        joints.revolute(axis / np.linalg.norm(axis), limits=limits),
        joints.revolute(axis / np.linalg.norm(axis), limits=limits),
    ][kind]


def tree(rng, limited):
    """Return a tree of rods on a free root; each is up to ten times lighter than the one that carries it."""
    b, rods = FigureBuilder(), []
    for n in range(int(rng.integers(2, 12))):
        length = float(rng.uniform(0.05, 0.4))
        rod, parent = Capsule(0.1 * length, length), int(rng.integers(max(0, n - 3), n)) if n else None
        mass = float(rng.uniform(1, 20)) if parent is None else rods[parent][1] * float(10 ** rng.uniform(-1, 0))
        place = (0, 0, 0) if parent is None else (0, rods[parent][0] * float(rng.uniform(-1, -0.3)), 0)
        b.segment(
            f"s{n}",
            None if parent is None else f"s{parent}",
            joints.free() if parent is None else _joint(rng, limited),
            placement=Transform(np.eye(3), np.array(place, float)),
            mass=mass,
            com=(0, -0.5 * length, 0),
            inertia=rod.mass_properties(mass=mass).inertia,
        )
        b.tag(f"near{n}", f"s{n}", (0, 0, 0))
        b.tag(f"far{n}", f"s{n}", (0, -length, 0))
        rods.append((length, mass))
    return b.build()


def limp(seed):
    """Return a figure, its contacts, and a start above the floor."""
    rng = np.random.default_rng(seed)
    limited, friction = bool(rng.integers(2)), float(rng.choice([0.0, 0.5, 1.0]))
    figure = NAMED[seed % 6]() if seed % 6 < 3 else tree(rng, limited)
    light = [s for s in figure.segments if s.mass]
    points = [contact.ContactPoint(tag.name, tag.segment, tuple(tag.point), friction=friction) for tag in figure.tags]
    points += [
        contact.ContactPoint(f"middle of {s.name}", s.name, tuple(s.com), 0.02, friction=friction) for s in light
    ]
    turn = rng.uniform(-1, 1, figure.nv) * (0.5 if seed % 6 < 3 else 1.5)
    q = advance(figure, figure.neutral(), np.clip(turn, figure.limits[:, 0], figure.limits[:, 1]))
    ground = contact.floor(float(tags(figure, q)[:, 1].min()) - float(rng.uniform(0.3, 1.0)))
    return figure, contact.Contacts(points, ground), q, rng.normal(size=figure.nv) * float(rng.choice([0.0, 1.0, 5.0]))


def books(seed, seconds=5.0, rate=100.0):
    """Return the largest rise of the energy above the least before it, over the largest kinetic energy.

    E − ½ h g·p counts: a step of free fall changes it by nothing but rounding.
    """
    figure, ground, q, v = limp(seed)
    rec = simulate(figure, contacts=ground, q0=q, v0=v, t1=seconds, rate=rate, step=H, integrator="time-stepping")
    energy = rec["energy"] - 0.5 * H * rec["momentum"] @ figure.gravity
    return float((energy - np.minimum.accumulate(energy)).max() / rec["energy.kinetic"].max())


def main(count, first=0):
    worst, wrong, begun = (0.0, 0), {}, time.time()
    for seed in range(first, first + count):
        try:
            rise = books(seed)
            worst = max(worst, (rise, seed))
            if not rise <= ALLOWED:
                wrong[seed] = f"the energy rises by {rise:.3g} of the largest kinetic energy"
        except RunError as error:
            wrong[seed] = str(error)
        if seed in wrong or seed % 50 == 49:
            print(f"{seed}: {wrong.get(seed, f'worst so far {worst}')}, {time.time() - begun:.0f} s", flush=True)
    print(f"{count} figures, {len(wrong)} wrong; the energy rises above the least before it by at most ", end="")
    print(f"{worst[0]:.3g} of the largest kinetic energy (figure {worst[1]})")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
