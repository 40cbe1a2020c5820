"""Walkers that the project makes itself: a Human36 that steps along x, with the asymmetry that a test asks for."""

import numpy as np

from motiform.measure import write_c3d, write_trc
from motiform.motion.postures import virtual_markers
from motiform.record import Channel, Recording

RATE, SPEED, CYCLE = 50.0, 1.2, 1.1  # Hz, m/s, s
NOISE = 2e-4  # m


def walking(figure, *, knees=(0.4, 0.4), seconds=4.0, cycle=CYCLE, later=0.0):
    """Return q (samples, nq): hips swing by ±0.4 rad in turns, knees bend by 0.5 ± `knees` (right, left) [rad].

    The body goes along x, and by ±2 cm to the sides.
    """
    t = np.arange(round(seconds * RATE)) / RATE
    q = np.tile(figure.neutral(), (len(t), 1))
    for side, late, knee in (("right", 0.0, knees[0]), ("left", np.pi, knees[1])):
        swing = 2 * np.pi * (t + later) / cycle + late
        q[:, figure.coordinates.index(f"{side}_hip_flexion")] = 0.4 * np.cos(swing)
        q[:, figure.coordinates.index(f"{side}_knee_extension")] = -0.5 + knee * np.sin(swing)
    q[:, figure.coordinates.index("pelvis_forward")] = SPEED * t
    q[:, figure.coordinates.index("pelvis_rightward")] = 0.02 * np.sin(2 * np.pi * (t + later) / cycle)
    return q


def write_walk(figure, path, **options):
    """Write a trial of `walking` as TRC or, with `emg` {name: signal of time [s]} among its channels, as C3D."""
    emg = options.pop("emg", None)
    noise, seed = options.pop("noise", NOISE), options.pop("seed", 0)
    rec = virtual_markers(figure, walking(figure, **options), rate=RATE, noise=noise, seed=seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".trc":
        write_trc(rec, path)
        return
    data = {name: (rec.channel(name), rec[name]) for name in rec.names}
    manifest = dict(rec.manifest)
    if emg:
        rate = 20 * RATE
        t = np.arange(20 * rec.count("markers")) / rate
        signals = np.stack([signal(t) for signal in emg.values()], axis=1)
        data["analog"] = (Channel("analog", unit="V", dims=("analog",), shape=(len(emg),), rate=rate), signals)
        manifest |= {"labels": {**manifest["labels"], "analog": list(emg)}, "analog_units": ["V"] * len(emg)}
    write_c3d(Recording.from_arrays(data, manifest=manifest), path)


def standing(figure, path, seconds=1.0):
    """Write a trial of the neutral posture."""
    write_trc(virtual_markers(figure, np.tile(figure.neutral(), (round(seconds * RATE), 1)), rate=RATE), path)
