"""What does the report of a runner show?
======================================

A man runs at 3 m/s, made up from laws: his feet stay where they stand, the ground pushes with half a sine wave over
each stance, and nothing touches him in flight. So the force is known in closed form: its mean is the weight, and its
peak π/(4 d) weights, with d the part of the stride in which a foot stands. Pelvis and trunk move so that Newton's and
Euler's laws hold with the force at its centre of pressure, which goes from the heel to the toes; legs follow from
pelvis and feet. Markers with 0.3 mm of noise, and a plate under each step, are given to the reconstruction, as a
laboratory would.

Five checks. With the exact motion nothing is left at the root, on the ground and in the air. The report finds each
stance with its duration, and between them flights of (1/2 − d) of a stride. Speed and stride are those of the run. The
angle of the knee is the one that was put in, within the standard deviation that is told with it. And the residual at
the root is a tenth of the weight: what noise, and the low-pass of angles that turn fast, do to accelerations.
"""

from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.optimize import NoConvergence, anderson

from motiform import Recording, reconstruct
from motiform.image import show_pictures
from motiform.image.report.gait import curve_pages
from motiform.image.report.page import report_blocks, write_blocks
from motiform.motion import tree
from motiform.motion.figures import human36
from motiform.motion.postures import gait_curves, gait_table, walker_of
from motiform.record import Channel
from motiform.spatial import rotation_about

SPEED, STRIDE, DUTY = 3.0, 0.70, 0.30  # m/s, s, part of the stride in which a foot stands
RATE, FAST, NOISE, CUTOFF = 200, 5, 3e-4, 12.0  # Hz, samples of the plates with each of the markers, m, Hz
BRAKE, ASIDE = 0.25, 0.06  # of the weight, to and fro; m, from the middle to a foot
HEEL_OFF, BALL = 0.5, np.radians(90)  # part of the stance at which the heel leaves; turn that it begins
SWING = ((0.25, -0.45, 0.42, -1.6), (0.5, -0.15, 0.46, -1.4), (0.75, 0.22, 0.26, -0.4), (0.92, 0.30, 0.10, 0.05))
# part of the swing; ankle less the body's x, height [m]; turn of the foot [rad]
SIDES = {"right": (0.0, 1.0), "left": (0.5, -1.0)}  # beginning of the stance, part of the stride; side
N = round(STRIDE * RATE)
LEG = (
    "ankle_eversion",
    "ankle_dorsiflexion",
    "knee_extension",
    "hip_abduction",
    "hip_external_rotation",
    "hip_flexion",
)
ARMS, LOW, LEAN = 0.6, -0.09, -0.12  # rad; m, rad: the pelvis below its height in standing, tilted forward


def rows(man, *endings):
    return [k for k, name in enumerate(man.coordinates) if name.endswith(endings)]


def foot(man, t, side):
    """Return ankle (samples, 3) [m] and turn of a foot (samples,) [rad], toes down below zero."""
    begin, z = SIDES[side]
    toe, low = 0.75 * man.lengths["L30"], man.lengths["L4"]  # from the ankle to the ball; height of the ankle

    def standing(part):
        """Stand flat, then roll over the ball: x less that of the body, y, turn."""
        u = np.clip((part - HEEL_OFF) / (2 * (1 - HEEL_OFF)), 0.0, 1.0)
        turn = -BALL * (10 * u**3 - 15 * u**4 + 6 * u**5)
        x = toe / 2 - toe * np.cos(turn) - low * np.sin(turn) + SPEED * STRIDE * DUTY * (0.5 - part)
        return np.stack([x, low * np.cos(turn) - toe * np.sin(turn), turn], axis=-1)

    h, scale = 1e-3, 1 / DUTY - 1
    ends = []
    for edge in (1.0, 0.0):  # rates at the ends of the swing, by its part
        before, now, after = (standing(np.array(edge + step)) for step in (-h, 0.0, h))
        ends.append((now, [(1, (after - before) / (2 * h) * scale), (2, (after - 2 * now + before) / h**2 * scale**2)]))
    at = [0.0, *(row[0] for row in SWING), 1.0]
    path = make_interp_spline(
        at, [ends[0][0], *(row[1:] for row in SWING), ends[1][0]], 5, bc_type=[e[1] for e in ends]
    )
    phase = t / STRIDE - begin
    part = np.mod(phase, 1.0) / DUTY
    found = np.where(part[:, None] < 1, standing(part), path(np.maximum(part - 1, 0.0) / scale))
    return np.stack([found[:, 0] + SPEED * t, found[:, 1], np.full(len(t), ASIDE * z)], axis=1), found[:, 2]


def ground(man, t, side):
    """Return force [N] and centre of pressure [m] of a foot, (samples, 3) each."""
    begin, z = SIDES[side]
    phase = t / STRIDE - begin
    part = np.mod(phase, 1.0) / DUTY
    on, u = part < 1, np.minimum(part, 1.0)
    weight, toe = 9.81 * man.mass, man.lengths["L30"] * 0.75
    force = np.stack([-BRAKE * np.sin(2 * np.pi * u), np.pi / (4 * DUTY) * np.sin(np.pi * u), 0 * u], axis=1)
    middle = SPEED * STRIDE * (np.floor(phase) + begin + DUTY / 2)  # the body is there in the middle of the stance
    place = np.stack([middle + toe * (u - 0.5), 0 * u, np.full(len(t), z * ASIDE)], axis=1)
    return weight * force * on[:, None], place


def integral(x):
    """Return the integral of a signal over one stride, both without their means."""
    k = 2j * np.pi * np.fft.fftfreq(len(x), STRIDE / len(x))
    spectrum = np.fft.fft(x, axis=0)
    spectrum[0], spectrum[1:] = 0.0, spectrum[1:] / k[1:, None]
    return np.fft.ifft(spectrum, axis=0).real


def rates(x, drift):
    """Return first and second derivative of a signal that goes on after a stride, but for a drift per second."""
    k = 2j * np.pi * np.fft.fftfreq(len(x), STRIDE / len(x))[:, None]
    spectrum = np.fft.fft(x - np.arange(len(x))[:, None] * STRIDE / len(x) * drift, axis=0)
    return np.fft.ifft(k * spectrum, axis=0).real + drift, np.fft.ifft(k**2 * spectrum, axis=0).real


def posture(man, t, root, q=None):
    """Return postures (samples, 42): the root is given, arms swing, legs reach the feet; q is near them."""
    steps = 12 if q is None else 3
    q = _upper(man, t) if q is None else q.copy()
    q[:, -6:] = root
    legs = [k for side in SIDES for j in LEG for k in rows(man, f"{side}_{j}")]
    soles = [k for k, tag in enumerate(man.tags) if tag.segment.endswith("foot")]
    target = np.zeros((len(t), len(soles), 3))
    for side in SIDES:
        ankle, turn = foot(man, t, side)
        R = rotation_about("z", turn)
        for n, k in enumerate(soles):
            if man.tags[k].segment == f"{side}_foot":
                target[:, n] = ankle + R @ np.array(man.tags[k].point)
    for _ in range(steps):  # Gauss and Newton
        e = (target - tree.tags(man, q)[:, soles]).reshape(len(t), -1, 1)
        J = tree.tag_jacobians(man, q)[:, soles][..., legs].reshape(len(t), -1, len(legs))
        Jt = np.swapaxes(J, -1, -2)
        q[:, legs] += np.clip(np.linalg.solve(Jt @ J + 1e-9 * np.eye(len(legs)), Jt @ e)[..., 0], -0.3, 0.3)
    return q


def _upper(man, t):
    """Return postures with bent knees and arms that swing against the legs."""
    q = np.zeros((len(t), man.nq))
    q[:, rows(man, "elbow_flexion")] = 1.5
    for side, (begin, _) in SIDES.items():
        swing = -np.cos(2 * np.pi * (t / STRIDE - begin - DUTY / 2) + 0.6)
        q[:, rows(man, f"{side}_shoulder_flexion")] = (-0.15 + ARMS * swing)[:, None]
        q[:, rows(man, f"{side}_knee_extension")], q[:, rows(man, f"{side}_hip_flexion")] = -0.9, 0.4
    return q


def run(man):
    """Return one stride (N, 42), and what the root would need beside the ground [N, N·m]: what the sampling leaves.

    The root's accelerations are solved for. Those of the legs follow from them, and so does the inertia that the root
    feels in a sample: a step of Newton's with it, and Anderson's mixing for what velocities and places add.
    """
    t = np.arange(N) / RATE
    base = np.stack([SPEED * t, *np.tile([[LOW], [0.0], [0.0], [0.0], [LEAN]], N)], axis=1)
    legs = [k for side in SIDES for j in LEG for k in rows(man, f"{side}_{j}")]
    soles = [k for k, tag in enumerate(man.tags) if tag.segment.endswith("foot")]
    kept = {"q": posture(man, t, base)}

    def step(x):
        x = x.reshape(N, 6)
        root = base + integral(integral(x))
        root[:, 0] += x[:, 0].mean() / 10  # the mean is free: how far the body is before its feet
        q = kept["q"] = posture(man, t, root, kept["q"])
        M, J = tree.inertia_matrix(man, q), tree.tag_jacobians(man, q)[:, soles].reshape(N, -1, man.nv)
        felt = M[:, -6:, -6:] - M[:, -6:][..., legs] @ np.linalg.pinv(J[..., legs]) @ J[..., -6:]
        need = kept["need"] = needed(man, t, q)
        found = np.linalg.solve(felt, need[..., None])[..., 0]
        found -= found.mean(0)
        found[:, 0] += 10 * need[:, 5].mean() / (9.81 * man.mass)
        return -found.ravel()

    x = np.zeros(6 * N)
    for _ in range(5):
        x = x + 0.7 * step(x)
    with suppress(NoConvergence):  # as far as it gets
        anderson(step, x, maxiter=12, alpha=0.7, M=10, line_search=None)
    return kept["q"], kept["need"]


def needed(man, t, q):
    """Return the efforts of the root (samples, 6) with the ground's forces on the feet."""
    v, a = rates(q, SPEED * np.eye(man.nq)[rows(man, "pelvis_forward")[0]])
    external, p = np.zeros((len(t), len(man.segments), 6)), tree.forward_kinematics(man, q).position
    for side in SIDES:
        n = man.index(f"{side}_foot")
        force, place = ground(man, t, side)
        external[:, n] = np.concatenate([np.cross(place - p[:, n], force), force], axis=1)
    return tree.inverse_dynamics(man, q, v, a, external)[:, -6:]


def trial(man, stride, strides):
    """Return the true motion, and markers with a plate under each step, as a laboratory has them."""
    first = round(0.9 * N)  # before a strike
    t = (first + np.arange(strides * N)) / RATE
    q = np.tile(stride, (strides + 1, 1))
    q[:, rows(man, "pelvis_forward")] += SPEED * STRIDE * np.repeat(np.arange(strides + 1), N)[:, None]
    q = q[first:][: len(t)]
    markers = tree.tags(man, q) + NOISE * np.random.default_rng(4).normal(size=(len(t), len(man.tags), 3))
    fine = t[0] + np.arange(len(t) * FAST) / (RATE * FAST)
    force, moment, plates = [], [], []
    for side, (begin, z) in SIDES.items():
        number = np.floor(fine / STRIDE - begin)
        f, place = ground(man, fine, side)
        for n in np.unique(number[f[:, 1] > 0]):
            on = (number == n)[:, None]
            force.append(f * on)
            moment.append(np.cross(place, f) * on)
            x, w = SPEED * STRIDE * (n + begin + DUTY / 2), ASIDE * z
            corners = [[x + 0.35 * i, 0.0, w + 0.15 * j] for i, j in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
            plates.append({"corners": corners, "normal": [0.0, 1.0, 0.0]})
    channels = {
        "markers": (Channel("markers", unit="m", dims=("marker", "axis"), shape=markers.shape[1:], rate=RATE,
                            start=t[0]), markers),
        **{f"plate.{name}": (Channel(f"plate.{name}", unit=unit, dims=("plate", "axis"), shape=(len(plates), 3),
                                     rate=RATE * FAST, start=t[0]), np.stack(own, axis=1))
           for name, unit, own in (("force", "N", force), ("moment", "N m", moment))},
    }  # fmt: skip
    manifest = {"labels": {"marker": list(man.tag_names)}, "up": "y", "gravity": [0.0, -9.81, 0.0], "plates": plates,
                "title": "running, made up", "source": "a run at 3 m/s"}  # fmt: skip
    return q, Recording.from_arrays(channels, manifest=manifest)


def main(quick=False):
    man = human36(1.78, 72.0)
    stride, left = run(man)
    truth, markers = trial(man, stride, 2 if quick else 4)
    found = reconstruct(man, markers, cutoff=CUTOFF)
    found.manifest["title"] = "A run at 3 m/s"
    return {"man": man, "left": left, "truth": truth, "markers": markers, "found": found}


def check(result):
    man, found, truth = (result[key] for key in ("man", "found", "truth"))
    # What 200 samples a second cannot tell of the corners of a half sine wave: less than half a percent.
    assert np.abs(result["left"][:, :3]).max() <= 0.005 * 9.81 * man.mass
    assert np.abs(result["left"][:, 3:]).max() <= 0.005 * 9.81 * man.mass * 1.0  # with an arm of a metre
    steps = [e for e in found.events if e.detail.get("source") == "plate"]
    table = gait_table(walker_of(man, found.time("q"), found["q"]), steps)
    # A plate is loaded from 20 N on: asin(20 / peak)/π of a stance late and early; and a sample of the plates.
    late = DUTY * STRIDE * np.arcsin(20.0 / (9.81 * man.mass * np.pi / (4 * DUTY))) / np.pi
    for one in table.strides:
        for got, true in ((one.stance, DUTY), (one.flight, 0.5 - DUTY), (one.stride_time, 1.0)):
            assert not abs(got - true * STRIDE) > 2 * late + 1 / (RATE * FAST)
    assert abs(table.mean()["speed"] / SPEED - 1) <= 0.01
    for side in SIDES:
        k = rows(man, f"{side}_knee_extension")
        off = (found["q"][:, k] - truth[:, k]) / found["std"][:, k]
        assert 0.8 <= np.sqrt((off**2).mean()) <= 1.2  # standard deviations, as they are told
    report = found.manifest["reconstruct"]["residual"]
    assert report["force_rms_relative"] <= 0.15


def draw(result, folder):
    man, found = result["man"], result["found"]
    curves = gait_curves(found, man, walker_of(man, found.time("q"), found["q"]))
    paths = []
    for name, (_, png) in zip(("angles", "moments", "powers"), curve_pages(curves), strict=False):
        paths.append(folder / f"running_{name}.png")
        paths[-1].write_bytes(png)
    blocks = report_blocks(found, man, result["markers"])
    for ending in ("html", "pdf"):
        write_blocks(blocks, folder / f"running.{ending}", overwrite=True)
    return paths


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
