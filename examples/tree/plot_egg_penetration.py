"""How far does a rolling egg leave the ground?
============================================

A contact joint stores the contact frame in each body. A step moves both frames by the equations of rolling; in exact
arithmetic they stay on their surfaces, with finite steps they drift off, and the egg penetrates the ground or floats
above it. The drift depends on the method: one constant twist per step ("exp") is of first order, its midpoint rule of
second, Runge–Kutta on the fourteen numbers ("rk4") or on the group of motions ("rkmk4") of fourth. The curvature of an
egg varies along the path, so none of them is exact.

Repair projects both frames back onto their surfaces after each step. Then the gap stays at rounding level, and the
remaining error is tangential, with the order of the method as before. The red egg has made ten long steps with "exp"
and without repair: it floats 13 mm above the ground.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

from motiform import Transform, joints, surfaces
from motiform.form import Form, Part
from motiform.geometry import Ellipsoid
from motiform.image import Camera, picture, show_pictures
from motiform.spatial import quaternion_from_rotation, rotation_about

ORDERS = {"exp": 1, "expmid": 2, "rk4": 4, "rkmk4": 4}
JOINT = joints.contact(surfaces.plane(), surfaces.ellipsoid((0.15, 0.1, 0.08)))
START, V = JOINT.configuration((0, 0, 0), (0.05, 0.03, -0.06)), np.array([0.9, -0.7, 0.4])  # rad/s


def march(method, steps, repair, t1=2.0):
    """Return gap [m], place [m] and configuration at the end."""
    q = START
    for _ in range(steps):
        q = JOINT.advance(q, V, t1 / steps, method)
        q = JOINT.repair(q) if repair else q
    gaps = JOINT.gaps(q)
    return gaps[0] + gaps[2], JOINT.transform(q).translation, q


def main(quick=False):
    steps = [25, 50, 100] if quick else [10, 20, 40, 80, 160, 320]
    right = march("rkmk4", 300 if quick else 1000, True)[1]
    found = {}
    for method in ORDERS:
        plain, repaired = ([march(method, n, repair) for n in steps] for repair in (False, True))
        found[method] = {
            "step": 2.0 / np.array(steps),
            "gap": np.array([gap for gap, _, _ in plain]),
            "repaired": np.array([gap for gap, _, _ in repaired]),
            "error": np.array([np.linalg.norm(place - right) for _, place, _ in repaired]),
        }
    return found


def check(result):
    for method, order in ORDERS.items():
        found = result[method]
        assert found["repaired"].max() <= 1e-15  # m, rounding of 0.15
        for name in ("gap", "error"):
            coarse, fine = found[name][-2:]
            assert abs(np.log2(coarse / fine) - order) < 0.4, (method, name)


def draw(result, folder):
    chart = Figure(figsize=(9, 3.8), layout="constrained")
    panels = chart.subplots(1, 2, sharey=True)
    for n, (method, found) in enumerate(result.items()):
        panels[0].loglog(found["step"], found["gap"], "o-", color=f"C{n}", label=method)
        panels[0].loglog(found["step"], np.maximum(found["repaired"], 1e-18), "x", color=f"C{n}")
        panels[1].loglog(found["step"], found["error"], "o-", color=f"C{n}")
    panels[0].text(0.02, 1e-15, "with repair (zero is drawn at 1e-18)", fontsize=8)
    panels[0].set(title="gap, without repair and with it", xlabel="step [s]", ylabel="m")
    panels[1].set(title="place, with repair", xlabel="step [s]")
    panels[0].legend(frameon=False)
    for axes in panels:
        axes.grid(alpha=0.25)
    chart.savefig(folder / "orders.png", dpi=150)
    up = Transform.rotation_of(rotation_about("x", -np.pi / 2))  # the plane's normal is z
    parts = []
    for n, (color, how) in enumerate(
        (((0.85, 0.66, 0.3), ("rkmk4", 20, True)), ((0.72, 0.33, 0.24), ("exp", 10, False)))
    ):
        T = Transform.translation_of((0.4 * n, 0, 0)) @ up @ JOINT.transform(march(*how)[2])
        pose = T.translation.reshape(1, 1, 3), quaternion_from_rotation(T.rotation).reshape(1, 1, 4)
        parts.append(Part(how[0], Ellipsoid((0.15, 0.1, 0.08)), np.zeros(3), np.array(color), *pose))
    form = Form(tuple(parts), np.zeros(1))
    camera = Camera.framing(form, direction=(0, 0.12, 1), fov=0.3, aspect=2.4)
    return [picture(form, folder / "eggs.png", camera=camera, size=(1200, 500), ground=0.0), folder / "orders.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
