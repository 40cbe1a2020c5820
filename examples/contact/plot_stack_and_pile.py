"""Do boxes stand on boxes?
========================

Ten equal boxes stand on one another, edge above edge: each carries the weight of those above it, and after a second
none has moved by a nanometre. Solids of other kinds fall into a bin of four walls: boxes, cylinders, capsules,
ellipsoids, cones and rings. They touch as solids, by faces, edges and curved surfaces; none sinks into another by more
than it moves in a step, and the energy never rises.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import contact
from motiform.form import dress
from motiform.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Torus
from motiform.image import Camera, picture, show_pictures
from motiform.motion.stepping import add_body, start_bodies
from motiform.spatial import rotation_from_euler

BOX, DENSITY, G, STEP = Box((0.2, 0.1, 0.2)), 500.0, 9.81, 1e-3
KINDS = (
    Box((0.16, 0.09, 0.12)), Cylinder(0.05, 0.14), Capsule(0.04, 0.12), Ellipsoid((0.09, 0.05, 0.07)),
    Cone(0.07, 0.13), Torus(0.07, 0.022), Cone(0.08, 0.1, 0.04),
)  # fmt: skip
COLORS = ((0.80, 0.30, 0.22), (0.35, 0.55, 0.75), (0.85, 0.65, 0.25), (0.45, 0.62, 0.40), (0.60, 0.45, 0.65))


def body(name, shape, at, turn, color):
    return mf.Body(
        name, shape.mass_properties(density=DENSITY), shape, at, rotation_from_euler(turn, "xyz"), color=color
    )


def walls(wide=0.22, high=0.2, thick=0.04):
    """Return the four walls of a bin."""
    long = 2 * (wide + thick)
    sides = (
        ((thick, high, long), (wide + thick / 2, high / 2, 0)),
        ((thick, high, long), (-wide - thick / 2, high / 2, 0)),
        ((long, high, thick), (0, high / 2, wide + thick / 2)),
        ((long, high, thick), (0, high / 2, -wide - thick / 2)),
    )
    grey = (0.75, 0.75, 0.78)
    return [
        contact.box(size, name=f"wall{k + 1}", placement=mf.Transform.translation_of(at), color=grey)
        for k, (size, at) in enumerate(sides)
    ]


def run(bodies, t1, *around):
    builder = mf.FigureBuilder()
    for one in bodies:
        add_body(builder, one)
    figure = builder.build()
    q, v = start_bodies(figure, bodies)
    solids = contact.solid_contacts(figure, (contact.floor(), *around), friction=0.5)
    options = {"t1": t1, "rate": 25.0, "integrator": "time-stepping", "step": STEP}
    return mf.simulate(figure, contacts=solids, q0=q, v0=v, **options)


def main(quick=False):
    tall, many = (4, 7) if quick else (10, 10)
    stack = [body(f"box{k + 1}", BOX, (0, 0.05 + 0.1 * k, 0), (0, 0, 0), COLORS[k % len(COLORS)]) for k in range(tall)]
    rng = np.random.default_rng(2)
    places = [(x, 0.15 + 0.24 * k, z) for k, (x, z) in enumerate(rng.uniform(-0.06, 0.06, (many, 2)))]
    turns = rng.uniform(-np.pi, np.pi, (many, 3))
    heap = [
        body(f"solid{k + 1}", KINDS[k % len(KINDS)], places[k], turns[k], COLORS[k % len(COLORS)]) for k in range(many)
    ]
    return {
        "stack": run(stack, 0.2 if quick else 1.0),
        "heap": run(heap, 0.48 if quick else 1.6, *walls()),
        "tall": tall,
    }


def check(result):
    stack, heap, tall = result["stack"], result["heap"], result["tall"]
    weight = BOX.volume * DENSITY * G
    np.testing.assert_allclose(stack["contact.force"][-1, :, 1], weight * np.arange(tall, 0, -1), rtol=1e-8)
    for k in range(tall):
        way = stack[f"box{k + 1}.position"]
        assert np.abs(way - way[0]).max() < 1e-9
    energy = heap["energy"]
    assert np.diff(energy).max() < 1e-3 * np.ptp(energy)  # of the energy that falling sets free
    assert heap["contact.gap"].min() > -7.0 * STEP  # the way of one step at 7 m/s, which nothing reaches


def draw(result, folder):
    stack, heap, tall = result["stack"], result["heap"], result["tall"]
    chart = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = chart.subplots(1, 2)
    left.barh(np.arange(1, tall + 1), stack["contact.force"][-1, :, 1], color="#0072B2")
    left.set(xlabel="force from below [N]", ylabel="box")
    for name, color in (("energy", "#D55E00"), ("energy.kinetic", "#0072B2")):
        right.plot(heap.time(name), heap[name], color=color, linewidth=1, label=name)
    right.set(xlabel="time [s]", ylabel="energy of the heap [J]")
    right.legend(frameon=False)
    chart.savefig(folder / "forces.png", dpi=150)
    pictures = [folder / "forces.png"]
    for name, rec, eye in (("stack", stack, (1.5, 0.9, 1.9)), ("heap", heap, (0.6, 0.9, 0.8))):
        camera = Camera(eye, (0, 0.5 if name == "stack" else 0.12, 0), fov=0.6)
        shot = picture(
            dress(rec), folder / f"{name}.png", sample=rec.count("q") - 1, camera=camera, size=(700, 560), ground=0.0
        )
        pictures.append(shot)
    return pictures


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
