"""How high does a leg with eight muscles jump, and how does it land?
===================================================================

From a squat that the muscles hold, those of the hip are excited at once, those of the knee a delay later, those of the
ankle two delays later. Which delay gives the fastest take-off? In the air a stretch reflex draws the legs up; it then
holds the posture. No joint has a drive or a damper.

Checks. In the air the centre of mass rises by v²/2g. Muscles pull and do not push. The books close: work of the
contracting fibres = energy of the body + energy of the tendons + heat. Heat is that of damping in the fibres and of
impacts, of which the knee's at its stop is the largest. With the scene's delay take-off is fastest. He lands and
stays up, at rest in the end; joints meet their stops a few times after take-off and do not chatter; what a joint joins
stays together.
"""

from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, render, show_pictures
from motiform.motion.tree import centers_of_mass, tags

DELAY, OTHERS = 0.09, (0.0, 0.045, 0.135)  # [s] of the scene, and others
HIP, KNEE, ANKLE = (0, 1), (2, 3), (4, 5)  # numbers of the muscles
END, LATER, GRAVITY = 0.39, 0.5, 9.81  # of the excitations, of those with other delays [s]; [m/s²]


def main(quick=False):
    return {delay: jump(delay) for delay in ((DELAY,) if quick else (DELAY, *OTHERS))}


def jump(delay):
    onsets = {k: delay * (1 if k in KNEE else 2) for k in (*KNEE, *ANKLE)}
    end = END if delay == DELAY else LATER
    times = {f"figure.jumper.muscle.{k}.excitation.times": [0.0, max(t, 1e-4), end] for k, t in onsets.items()}
    times |= {f"figure.jumper.muscle.{k}.excitation.times": [0.0, end] for k in HIP}
    # Other delays are tried up to the top alone.
    shorter = {} if delay == DELAY else {"scene.duration": 0.7, "figure.jumper.reflex.start": LATER}
    return mf.simulate("jump", settings=times | shorter)


def model():
    built = mf.load_scene("jump").build()
    return built.model, built.arguments["controls"][0].muscles.muscles


def standing():
    """Height of the centre of mass upright, with flat feet [m]."""
    figure, _ = model()
    q = figure.neutral()
    return centers_of_mass(figure, q)[-1, 1] - tags(figure, q)[:, 1].min()


def off(rec):
    """Number of the first sample in the air."""
    return int(np.flatnonzero(rec["tags"][..., 1].min(1) > 1e-4)[0])


def speed(rec):
    """Speed of the centre of mass upward when the feet leave the ground [m/s]."""
    return rec["momentum"][off(rec), 1] / model()[0].mass


def apex(rec):
    """Height of the centre of mass at the top [m]: at take-off, and v²/2g more."""
    return rec["center_of_mass"][off(rec), 1] + speed(rec) ** 2 / (2 * GRAVITY)


def work(t, power):
    """Work of all muscles until each sample [J], by the trapezium rule."""
    p = power.sum(1)
    return np.r_[0.0, np.cumsum(0.5 * (p[1:] + p[:-1]) * np.diff(t))]


def tendons(rec):
    """Energy of all tendons [J], (samples,): force over lengthening, from their curves."""
    found = 0.0
    for k, one in enumerate(model()[1]):
        x = np.linspace(1.0, 1.1, 20001)
        pull = one.model.tendon(x)[0]
        stored = np.r_[0.0, np.cumsum(0.5 * (pull[1:] + pull[:-1]) * np.diff(x))]
        length = (rec["muscles.length"][:, k] - rec["muscles.fibre_length"][:, k]) / one.slack_length
        found = found + one.max_force * one.slack_length * np.interp(length, x, stored)
    return found


def damping(rec):
    """Power of the dampers beside the fibres [W], (samples, muscles): their force is β F_max w/w_max."""
    scale = [one.model.damping * one.max_force / (one.max_speed * one.fibre_length) for one in model()[1]]
    return np.array(scale) * rec["muscles.fibre_speed"] ** 2


def books(rec):
    """Work of contraction, energy of body and tendons since the start, heat of impacts and of damping [J]."""
    t = rec.time("q")
    lost = [sum(event.detail.get("lost", 0.0) for event in rec.events if event.time <= now) for now in t]
    return {
        "contraction": work(t, damping(rec) - rec["muscles.force"] * rec["muscles.fibre_speed"]),
        "body": rec["energy"] - rec["energy"][0],
        "tendons": tendons(rec) - tendons(rec)[0],
        "heat of damping": work(t, damping(rec)),
        "heat of impacts": np.array(lost),
    }


def gap(rec):
    """By how much the books do not close [J], (samples,)."""
    first, *others = books(rec).values()
    return first - sum(others)


def stops(rec):
    """Instants at which joints meet their stops [s]."""
    return np.array([event.time for event in rec.events if event.name.startswith("impact") and "limit" in event.name])


def gaps(rec):
    """By how much joints come apart [m], (samples, joints)."""
    x = [rec[f"{name}.position"] for name in ("trunk", "thigh", "shank", "foot")]
    apart = [np.linalg.norm(b - a, axis=1) for a, b in pairwise(x)]
    return np.abs(np.column_stack(apart) - [0.0, 0.43, 0.42])


def check_landing(rec):
    t = rec.time("q")
    air = rec["tags"][..., 1].min(1) > 1e-4
    landed = t > t[np.flatnonzero(air)[-1]]
    assert 0.3 < t[landed][0] - t[off(rec)] < 0.5
    assert rec["q"][landed, 1].min() > 0.7  # height of the hips [m]; they are 0.63 m high in the squat
    assert np.abs(rec["momentum"][-1] / model()[0].mass).max() < 0.1  # [m/s]
    assert len(stops(rec)) <= 6
    assert np.ptp(stops(rec)) < 0.05
    assert gaps(rec).max() < 1e-9


def check(result):
    check_landing(result[DELAY])
    rec = result[DELAY]
    weight = GRAVITY * model()[0].mass
    assert abs(rec["contact.force"][0, :, 1].sum() / weight - 1) < 1e-3  # the squat is held from the first instant on
    top = rec["center_of_mass"][:, 1].max()
    assert abs(top - apex(rec)) < 1e-4, (top, apex(rec))  # the top may fall between two samples: g h²/8 = 5e-6 m
    assert top - standing() > 0.15
    assert rec["muscles.force"].min() >= 0.0
    # Where a force or speed jumps, by P of power, the trapezium rule is off by at most P h/2: 1 kW gives 2 J.
    assert np.abs(gap(rec)).max() < 2.0
    on_body = books(rec)["body"] + books(rec)["heat of impacts"]
    assert np.abs(work(rec.time("q"), rec["muscles.power"]) - on_body).max() < 2.0
    assert books(rec)["contraction"].max() > 300
    assert max(result, key=lambda delay: speed(result[delay])) == DELAY


def draw(result, folder):
    page = Figure(figsize=(12, 7.5), layout="constrained")
    above, below = page.subfigures(2, 1, height_ratios=(1.0, 1.0))
    rec = result[DELAY]
    form, camera = dress(rec), Camera((0.05, 0.86, 3.8), (0.05, 0.86, 0.0), fov=0.58)
    for axes, t in zip(above.subplots(1, 6), (0.0, 0.26, 0.38, 0.56, 0.88, 2.0), strict=True):
        axes.imshow(render(form, round(250 * t), camera=camera, size=(260, 460), samples_per_pixel=16))
        axes.set_title(f"{t:.2f} s", fontsize=9)
        axes.set_axis_off()
    height, force, energy = below.subplots(1, 3)
    for delay, one in sorted(result.items()):
        label = f"{1e3 * delay:.0f} ms: {speed(one):.2f} m/s, {1e2 * (apex(one) - standing()):.1f} cm"
        height.plot(one.time("q"), one["center_of_mass"][:, 1] - standing(), label=label)
    height.set(xlabel="time [s]", ylabel="m", title="centre of mass, by delay: take-off, top")
    force.plot(rec.time("q"), 1e-3 * rec["muscles.force"], label=rec.manifest["labels"]["muscles"])
    force.axvline(rec.time("q")[off(rec)], color="0.7", linewidth=0.8)
    force.set(xlabel="time [s]", ylabel="kN", title="forces of the muscles, both legs")
    for name, value in books(rec).items():
        energy.plot(rec.time("q"), value, label=name)
    energy.set(xlabel="time [s]", ylabel="J", title="work, energies and heat")
    for axes in (height, force, energy):
        axes.legend(fontsize=8)
    page.savefig(folder / "jump.png", dpi=110)
    return [folder / "jump.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
