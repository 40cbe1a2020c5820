r"""Do leaves sail or dive?
=======================

Ten thousand thin plates are released in a wind. The drag on each is −½ ρ \|u\| D u at its centre of pressure, with D
large across the plate and small along it. If the centre of pressure is at the centre of mass, the air exerts no torque:
each plate keeps its attitude, glides sideways and falls more or less slowly, a flat one at √(2 m g/ρ D_across). With
the centre of pressure offset by 6 mm, the plate turns like a weather vane until its edge points into the flow, and
finally all dive at √(2 m g/ρ D_along), nearly three times as fast. The picture shows both groups 2.4 s after their
release: gliding plates green, diving plates brown.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import motiform as mf
from motiform.form import Form, dress
from motiform.geometry import Box
from motiform.image import Camera, compare_plot, picture, show_pictures
from motiform.motion.bodies import AIR_DENSITY, Drag, Environment

LEAF, WIND = Box((0.06, 0.004, 0.04)), (4.0, 0.0, 0.0)  # m, m/s
AREA = (4e-4, 28e-4, 4e-4)  # m², drag coefficient times area along each axis
MATTER, RATE = LEAF.mass_properties(density=120), 10.0  # samples kept per second


def fall_speed(area):
    return np.sqrt(2 * MATTER.mass * 9.81 / (AIR_DENSITY * area))


def let_go(count, center):
    rng = np.random.default_rng(7)
    start = {"position": rng.uniform((-3, 18, -3), (3, 20, 3), (count, 3)), "spin": rng.uniform(-3, 3, (count, 3))}
    start |= {"rotation": mf.spatial.random_rotation(rng, count), "velocity": rng.uniform(-1, 1, (count, 3))}
    drag = Drag(AREA, (center, 0, 0), spin=1.5e-6)
    leaves = mf.Body("leaves", MATTER, LEAF, drag=drag, color=(0.70, 0.42, 0.16), **start)
    model = mf.Bodies((leaves,), environment=Environment(wind=WIND))
    return mf.simulate(model, t1=6.0, rate=RATE, integrator="rk4", step=4e-3)


def main(quick=False):
    count = 1000 if quick else 10_000
    return {"pressed in the middle": let_go(count, 0.0), "pressed 6 mm off": let_go(count, 0.006)}


def check(result):
    slow, fast = fall_speed(max(AREA)), fall_speed(min(AREA))
    sail, dive = (rec["leaves.velocity"][-1] - WIND for rec in result.values())  # through the air
    assert np.allclose(dive, (0, -fast, 0), atol=1e-3 * fast)
    assert (-sail[:, 1] < fast).all()
    assert np.quantile(-sail[:, 1], 0.05) < 1.2 * slow  # one in twenty falls about as slowly as a flat one
    assert np.median(np.hypot(sail[:, 0], sail[:, 2])) > 0.5  # m/s, gliding aside


def draw(result, folder):
    parts = [dress(rec).parts[0] for rec in result.values()]
    colors = np.array([(0.36, 0.52, 0.24), (0.70, 0.40, 0.16)])
    at = int(2.4 * RATE)
    parts = [
        replace(part, color=color, position=part.position[at : at + 1], orientation=part.orientation[at : at + 1])
        for part, color in zip(parts, colors, strict=True)
    ]
    form = Form(tuple(parts), np.zeros(1))
    compare_plot(result, "leaves.velocity", path=folder / "velocity.png", title="Velocity of the leaves")
    camera = Camera.framing(form, direction=(0.2, 0.1, 1), aspect=1.5, margin=0.02)
    return [picture(form, folder / "leaves.png", camera=camera, size=(1200, 800)), folder / "velocity.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
