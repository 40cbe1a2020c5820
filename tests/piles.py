"""Random piles of convex solids dropped on a floor, and clusters that meet in free space, with their books.

`python tests/piles.py COUNT [FIRST]` runs so many of each and prints what went wrong, and the worst of all.
"""

import sys
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
from scipy.spatial import ConvexHull

from motiform import Body, FigureBuilder, contact, simulate
from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Torus
from motiform.motion import tree
from motiform.motion.contact import columns as contact_columns
from motiform.motion.stepping import add_body, start_bodies, time_stepping
from motiform.spatial import rotation_from_euler

G, H, MU, DENSITY = 9.81, 1e-3, 0.5, 1000.0  # m/s², s, friction, kg/m³


def shapes(rng):
    """Return a shape of each kind, of random sizes about 0.1 m."""
    a, b, c = rng.uniform(0.06, 0.14, 3)
    corners = rng.normal(size=(12, 3))
    corners *= 0.07 / np.linalg.norm(corners, axis=1, keepdims=True)
    hull = ConvexHull(corners)
    sides = np.cross(*(np.diff(corners[hull.simplices], axis=1).transpose(1, 0, 2)))
    out = np.einsum("fi,fi->f", sides, hull.equations[:, :3]) > 0
    faces = np.where(out[:, None], hull.simplices, hull.simplices[:, ::-1])
    return [
        Box((2 * a, b, 1.5 * c)), Cylinder(0.5 * a, 1.5 * b), Capsule(0.4 * a, b), Ellipsoid((a, 0.6 * b, 0.8 * c)),
        Cone(0.7 * a, 1.2 * b), Torus(0.7 * a, 0.25 * a), Mesh(corners, faces), Ball(0.5 * c),
    ]  # fmt: skip


def _bodies(rng, places, **more):
    kinds = shapes(rng)
    turns = rng.uniform(-np.pi, np.pi, (len(places), 3))
    first = int(rng.integers(len(kinds)))
    return [
        Body(
            f"b{k}", shape.mass_properties(density=DENSITY), shape, place, rotation_from_euler(turns[k], "xyz"),
            **{name: value[k] for name, value in more.items()},
        )
        for k, place in enumerate(places)
        for shape in [kinds[(first + k) % len(kinds)]]
    ]  # fmt: skip


def figure_of(bodies, gravity=(0, -G, 0)):
    """Return the figure of free bodies."""
    b = FigureBuilder(gravity=gravity)
    for body in bodies:
        add_body(b, body)
    return b.build()


def _run(bodies, obstacles, gravity, t1, rate, **law):
    figure = figure_of(bodies, gravity)
    q, v = start_bodies(figure, bodies)
    contacts = contact.solid_contacts(figure, obstacles, **law)
    return simulate(figure, contacts=contacts, q0=q, v0=v, t1=t1, rate=rate, integrator="time-stepping", step=H)


@contextmanager
def watched():
    """Give a list of every step of a run: the deepest overlap at its beginning [m], by how much bodies were moved and
    turned apart [m, rad], (bodies, 2), impulses times their arms [kg m²/s], (bodies,), and the state at its end.
    """
    steps, step = [], time_stepping.Stepper.step

    def watch(stepper, at, y, n=0):
        q = y[: stepper.system.nq].copy()
        step(stepper, at, y, n)
        steps.append((max(0.0, -stepper.gaps.min()), _parted(stepper, q), _leant(stepper, q), y.copy()))

    with patch.object(time_stepping.Stepper, "step", watch):
        yield steps


def _parted(stepper, q):
    """Return the way and the turn of each body that impulses Z along normals made, Z h/m and Z a h/J with the arm a."""
    system, Z = stepper.system, -stepper._room.apart[1 : 3 * stepper.pairs : 3]
    figure = system.figure
    moved = np.zeros((len(figure.segments), 2, 3))
    if not Z.any():
        return moved[..., 0]
    for k, sign, n, arm in _pushed(stepper, q, np.flatnonzero(Z)):
        P = sign * Z[k] * stepper.h * stepper.sites[k][contact_columns.NORMAL : contact_columns.NORMAL + 3]
        moved[n] += P, np.cross(arm, P)
    least = np.array([np.linalg.eigvalsh(segment.inertia)[0] for segment in figure.segments])
    mass = np.array([segment.mass for segment in figure.segments])
    return np.linalg.norm(moved, axis=2) / np.stack([mass, least], axis=1)


def _leant(stepper, q):
    """Return the impulses on each body times their arms about its centre."""
    found = np.zeros(len(stepper.system.figure.segments))
    P = np.linalg.norm(stepper.impulses.reshape(-1, 3)[stepper.active[: stepper.pairs]], axis=1)
    for k, _, n, arm in _pushed(stepper, q, np.flatnonzero(P)):
        found[n] += P[k] * np.linalg.norm(arm)
    return found


def _pushed(stepper, q, contacts):
    """Give which bodies some contacts push: the contact, the sign, the body and the arm about its centre [m]."""
    figure, packed = stepper.system.figure, stepper.packed
    points, obstacles = stepper.system.contacts.points, stepper.system.contacts.obstacles
    centers = tree.centers_of_mass(figure, q)
    for k in contacts:
        pair, site = stepper.active[k], stepper.sites[k]
        carriers = points[packed.point_of[pair]].segment, obstacles[packed.obstacle_of[pair]].segment
        for sign, name in zip((1, -1), carriers, strict=True):
            if name is not None:
                n = figure.index(name)
                yield k, sign, n, site[contact_columns.SITE : contact_columns.SITE + 3] - centers[n]


def pile(seed, count=6, t1=0.9):
    """Drop solids of all kinds in a heap; return the recording and the bodies."""
    rng = np.random.default_rng(seed)
    places = [(x, 0.2 + 0.25 * k, z) for k, (x, z) in enumerate(rng.uniform(-0.04, 0.04, (count, 2)))]
    bodies = _bodies(rng, places)
    return _run(bodies, contact.floor(), (0, -G, 0), t1, 50.0, friction=MU), bodies


def cluster(seed, count=5):
    """Let solids meet where there is no weight; return the recording."""
    rng = np.random.default_rng(10_000 + seed)
    ways = np.concatenate([np.eye(3), -np.eye(3)])[:count] + rng.uniform(-0.15, 0.15, (count, 3))
    places = 0.35 * ways
    bodies = _bodies(rng, places, velocity=-1.5 * ways, spin=rng.normal(size=(count, 3)))
    return _run(bodies, (), (0, 0, 0), 0.4, 20.0, friction=MU, restitution=0.3)


def energy_allowed(bodies, parted, leant, spins, speeds, kinetic):
    """Return by how much the energy E − ½ h g·p may rise in each step [J], (steps,).

    A step of free fall moves with the velocity at its end, and keeps E − ½ h g·p but for the turning of free tops,
    (hω)² T/6 at either end. Impulses P that lead to the velocities u of the points where they act change the kinetic
    energy by P·u − ½ PᵀA P, A the Delassus matrix: normal ones act where u_n = −gap/h ≤ 0, and friction is against u_t,
    so that it never rises. What overlaps is moved apart and no momentum stays of it. A body of mass m moved by δ rises,
    m g δ, and, as its angular momentum about the origin stays, turns faster by what its own path takes, m ω v δ;
    one that is turned by θ has its angular momentum J ω in other axes, J ω² θ. The velocities u are those in the middle
    of the step; until its end a point at the arm a changes its own by ½ h (ω×(ω×a) + ω'×a), with ω' = J⁻¹(Jω×ω) of a
    free top, at most ½ h ω² a times the greatest moment over the least, and P works on that.
    """
    mass = np.array([body.properties.mass for body in bodies])
    moments = np.array([np.linalg.eigvalsh(body.properties.inertia) for body in bodies])
    most, shape = moments[:, -1], moments[:, -1] / moments[:, 0]
    spin, speed = _higher(spins), _higher(speeds)
    turning = 2 * (H * spins.max(1)) ** 2 * kinetic / 6
    apart = mass * (G + spin * speed) * parted[1:, :, 0] + most * spin**2 * parted[1:, :, 1]
    late = 0.5 * H * leant[1:] * spin**2 * shape
    return _higher(turning) + apart.sum(1) + late.sum(1)


def _higher(values):
    """Return the greater of the values at both ends of each step."""
    return np.maximum(values[1:], values[:-1])


def pile_books(seed):
    """Return how a pile keeps its laws: each number is over what is allowed, so that up to 1 it does."""
    with watched() as steps:
        rec, bodies = pile(seed)
    figure = figure_of(bodies)
    deep, parted, leant, y = (np.array(values) for values in zip(*steps, strict=True))
    q, v = y[:, : figure.nq], y[:, figure.nq : figure.nq + figure.nv]
    joules, push = tree.energy(figure, q, v), tree.momentum(figure, q, v)[:, 3:]
    motion = v.reshape(len(v), -1, 6)
    spins, speeds = np.linalg.norm(motion[..., :3], axis=2), np.linalg.norm(motion[..., 3:], axis=2)
    mass = sum(body.properties.mass for body in bodies)
    gained = np.diff(joules.total - 0.5 * H * G * push[:, 1])
    allowed = energy_allowed(bodies, parted, leant, spins, speeds, joules.kinetic)
    allowed += 2e-4 * joules.kinetic[:-1]  # momenta balance to 1e-4 in the norm of T, or the step is not taken
    allowed += 1e-14 * len(bodies) * np.abs(joules.total).max()  # rounding
    # the floor's impulse in each step: it pushes, within the cone of friction
    pushed = np.diff(push, axis=0) + mass * G * H * np.array([0, 1.0, 0])
    low = min(rec[f"{body.name}.position"][:, 1].min() for body in bodies)
    size = 1e-6 * mass * G * H
    return {
        "energy gained": float((gained / allowed).max()),
        "depth": float(deep.max() / (6.0 * H)),  # a step at 6 m/s
        "through the floor": float(low < 0.0) * 2,
        "floor pulls": float(-pushed[:, 1].min() / size) if pushed[:, 1].min() < 0 else 0.0,
        "outside friction": float(((np.hypot(pushed[:, 0], pushed[:, 2]) - MU * pushed[:, 1]) / size).max()),
    }


def cluster_books(seed):
    """Return the same of a cluster: both momenta stay, energy does not rise."""
    rec = cluster(seed)
    p, L, T = rec["momentum"], rec["angular_momentum"], rec["energy.kinetic"]
    size = np.sqrt(2 * T[0])  # of momenta, where masses and lengths are about 1
    return {
        "momentum": float(np.abs(p - p[0]).max() / (1e-9 * size)),
        "angular momentum": float(np.abs(L - L[0]).max() / (1e-9 * size)),
        "cluster gains": float(np.diff(T).max() / (1e-3 * T[0])),
    }


def main(count, first=0):
    worst, wrong, apart = {}, {}, 0
    for seed in range(first, first + count):
        try:
            books = {**pile_books(seed), **cluster_books(seed)}
        except InputError:  # two large solids overlap where they start
            apart += 1
            continue
        for name, value in books.items():
            worst[name] = max(worst.get(name, (-np.inf, 0)), (value, seed))
            if not value <= 1:
                wrong.setdefault(name, []).append(seed)
        if seed % 50 == 49:
            print(f"up to {seed}: wrong {wrong or 'none'}, worst {worst}", flush=True)
    print(f"{count - apart} of {count} could start")
    for name, (value, seed) in worst.items():
        print(f"{name}: at most {value:.3g} of what is allowed (pile {seed}), {len(wrong.get(name, []))} wrong")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
