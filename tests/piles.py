"""Random piles of convex solids dropped on a floor, and clusters that meet in free space, with their books.

`python tests/piles.py COUNT` runs so many of each and prints what went wrong, and the worst of all.
"""

import sys

import numpy as np
from scipy.spatial import ConvexHull

from motiform import Body, FigureBuilder, contact, simulate
from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Torus
from motiform.motion.hybrid import add_body, start_bodies
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


def _run(bodies, obstacles, gravity, t1, rate, **law):
    b = FigureBuilder(gravity=gravity)
    for body in bodies:
        add_body(b, body)
    figure = b.build()
    q, v = start_bodies(figure, bodies)
    contacts = contact.solid_contacts(figure, obstacles, **law)
    return simulate(figure, contacts=contacts, q0=q, v0=v, t1=t1, rate=rate, integrator="time-stepping", step=H)


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


def pile_books(seed):
    """Return how a pile keeps its laws: each number is over what is allowed, so that up to 1 it does."""
    rec, bodies = pile(seed)
    mass = sum(body.properties.mass for body in bodies)
    fall = mass * G * (rec["center_of_mass"][0, 1] - rec["center_of_mass"][:, 1].min())
    # A step of free fall moves with the velocity at its end: E − ½ h g p is what it keeps, but for (hω)² T/6 of a free
    # top. An impulse that brings a solid out of another by a fifth of its depth d in a step works P d/(10 h): with the
    # d = v h of a landing that is P v/10 of the P v/2 that the landing takes, so that no landing gains in the end.
    energy = rec["energy"] - 0.5 * H * G * rec["momentum"][:, 1]
    spins = np.abs(rec["v"].reshape(len(energy), -1, 6)[:, :, :3]).max((1, 2))
    wobble = ((H * spins) ** 2 * rec["energy.kinetic"] / 6).max() * 2
    gained = np.diff(energy).max()
    # the floor's impulse from sample to sample: it pushes, within the cone of friction
    push = np.diff(rec["momentum"], axis=0) + mass * G / 50.0 * np.array([0, 1.0, 0])
    size = mass * G / 50.0
    low = min(rec[f"{body.name}.position"][:, 1].min() for body in bodies)
    return {
        "energy gained": float(gained / (wobble + 1e-3 * fall)),
        "depth": float(-rec["contact.gap"].min() / (6.0 * H + 1e-3)),  # a step at 6 m/s, and what curved faces leave
        "through the floor": float(low < 0.0) * 2,
        "floor pulls": float(-push[:, 1].min() / (1e-6 * size)) if push[:, 1].min() < 0 else 0.0,
        "outside friction": float(((np.hypot(push[:, 0], push[:, 2]) - MU * push[:, 1]) / (1e-6 * size)).max()),
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


def main(count):
    worst, wrong, apart = {}, {}, 0
    for seed in range(count):
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
            print(f"{seed + 1} of {count}: wrong {wrong or 'none'}, worst {worst}", flush=True)
    print(f"{count - apart} of {count} could start")
    for name, (value, seed) in worst.items():
        print(f"{name}: at most {value:.3g} of what is allowed (pile {seed}), {len(wrong.get(name, []))} wrong")


if __name__ == "__main__":
    main(int(sys.argv[1]))
