"""How much do its wheels hold a cart back?
========================================

A cart rolls down a road of 8 degrees. Its front wheels are the root of the tree: a cylinder that rolls on a plane by a
contact joint. Its rear wheels are attached to the chassis and touch the road by a contact closure. Nothing slips, so
the rotational inertia of the wheels acts like additional mass:

    a = m g sin θ/(m + ΣI/r²).

The load distribution of the axles follows from statics with inertial forces. The friction force at each axle only
accelerates its own wheels, I a/r².
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, strobe
from motiform.image import Camera, picture, show_pictures
from motiform.motion.tree import closure_forces

SLOPE, R, BASE, G = np.radians(8), 0.1, 0.6, 9.81  # rad, m between the axles, m, m/s²
WHEELS = {"hub": 0.001, "disk": 0.01, "rim": 0.02}  # where the 2 kg of a pair are: kg m² about the axle


def main(quick=False):
    result = {}
    for name, inertia in WHEELS.items():
        settings = {f"figure.cart.segment.{axle}.inertia": [0.09, 0.09, inertia] for axle in ("front", "rear")}
        scene = mf.load_scene("cart", {**settings, "scene.duration": 0.3 if quick else 2.0})
        figure, rec = scene.build().model, mf.simulate(scene)
        rear = closure_forces(figure, rec["q"], rec["v"], np.zeros(figure.nv))["touch"]
        result[name] = {"figure": figure, "run": rec, "rear": rear[:, -3:]}
    return result


def law(figure):
    """Return acceleration, and normal forces at front and rear axle, by moments about the rear contact."""
    wheel, chassis = figure.segment("rear"), figure.segment("chassis")
    m, spin, x, y = chassis.mass, wheel.inertia[2, 2], BASE + chassis.com[0], R + chassis.com[1]
    total = m + 2 * wheel.mass
    a = total * G * np.sin(SLOPE) / (total + 2 * spin / R**2)
    down, along = G * np.cos(SLOPE), G * np.sin(SLOPE) - a
    front = m * (x * down + y * along) + wheel.mass * (BASE * down + 2 * R * along) - 2 * spin * a / R
    return a, front / BASE, total * down - front / BASE


def travel(rec):
    return np.linalg.norm(rec["chassis.position"] - rec["chassis.position"][0], axis=1)


def check(result):
    for case, inertia in zip(result.values(), WHEELS.values(), strict=True):
        rec, (a, front, rear) = case["run"], law(case["figure"])
        assert np.abs(travel(rec) - a * rec.time("q") ** 2 / 2).max() <= 1e-7  # m
        assert np.allclose(rec["front.contact_force"][:, 2], front, rtol=1e-7)
        assert np.allclose(case["rear"][:, 2], rear, rtol=1e-7)
        assert np.allclose(np.hypot(*case["rear"][:, :2].T), inertia * a / R**2, rtol=1e-7)


def draw(result, folder):
    chart = Figure(figsize=(7, 3.2), layout="constrained")
    left, right = chart.subplots(1, 2)
    for n, (name, case) in enumerate(result.items()):
        rec, (a, front, rear) = case["run"], law(case["figure"])
        left.plot(rec.time("q"), travel(rec), label=f"mass in the {name}: {a / G / np.sin(SLOPE):.2f} g sin θ")
        for shift, force, axle, color in ((-0.2, front, "front", "#0072B2"), (0.2, rear, "rear", "#E69F00")):
            right.bar(n + shift, force, 0.36, color=color, label=None if n else axle)
    left.set(xlabel="time [s]", ylabel="way [m]")
    right.set(ylabel="normal force [N]", xticks=range(3), xticklabels=result, ylim=(0, 60))
    for axes in (left, right):
        axes.legend(frameon=False, fontsize=8)
    chart.savefig(folder / "axles.png", dpi=150)
    form = strobe(dress(result["disk"]["run"]), 3)
    road, *cart = form.parts
    road = replace(road, position=road.position[:, :1], orientation=road.orientation[:, :1], color=road.color[0])
    camera = Camera((0.9, 1.5, 3.6), (0.1, 0.3, 0), fov=0.64)
    return [picture(replace(form, parts=(road, *cart)), folder / "cart.png", camera=camera), folder / "axles.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
