"""The parameters that a C3D file is written with, by group and name."""

from typing import Any

import numpy as np

from motiform.measure.markers.c3d.encode import Groups
from motiform.measure.markers.c3d.prepare import C3dTrial

__all__ = ["parameter_groups"]

_FLOAT_FROM = 65535  # samples from which on POINT:FRAMES is a float


def parameter_groups(trial: C3dTrial, start: int) -> Groups:
    """Return all parameters; ``start`` is the block in which the samples begin, from 1."""
    return {
        "POINT": _point(trial, start),
        "ANALOG": _analog(trial),
        "FORCE_PLATFORM": _plates(trial),
        "TRIAL": {"ACTUAL_START_FIELD": _two_words(trial.first), "ACTUAL_END_FIELD": _two_words(trial.last)},
        "SUBJECTS": _subjects(trial),
        "EVENT": _events(trial),
    }


def _two_words(number: int) -> np.ndarray:
    return np.array([number % 65536, number // 65536])


def _point(trial: C3dTrial, start: int) -> dict[str, Any]:
    long = trial.samples >= _FLOAT_FROM
    frames = float(trial.samples) if long else trial.samples
    return {
        "USED": len(trial.points), "SCALE": -trial.step, "RATE": trial.rate, "DATA_START": start, "FRAMES": frames,
        **({"LONG_FRAMES": frames} if long else {}), **_screen(trial.rec.manifest.get("up")),
        "UNITS": trial.unit, "LABELS": trial.points,
        "DESCRIPTIONS": [""] * len(trial.names) + [text for one in trial.computed for text in one.descriptions],
        **_computed(trial),
    }  # fmt: skip


def _computed(trial: C3dTrial) -> dict[str, Any]:
    """Return the lists of computed points, and their units: ANGLES and ANGLE_UNITS, …"""
    found: dict[str, Any] = {}
    for one in trial.computed:
        found |= {one.kind: list(one.names), f"{one.kind.removesuffix('S')}_UNITS": one.unit}
    return found


def _screen(up: str | None) -> dict[str, str]:
    """Return which axes point right and up on a screen."""
    if up is None:
        return {}
    across = "+Y" if up[-1] == "x" else "+X"
    return {"X_SCREEN": across, "Y_SCREEN": ("-" if up[0] == "-" else "+") + up[-1].upper()}


def _analog(trial: C3dTrial) -> dict[str, Any]:
    analog = trial.analog
    if analog is None:
        return {"USED": 0, "GEN_SCALE": 1.0, "RATE": 0.0}
    count = len(analog.names)
    return {
        "USED": count, "LABELS": analog.names, "DESCRIPTIONS": [""] * count, "UNITS": analog.units,
        "GEN_SCALE": 1.0, "SCALE": np.ones(count), "OFFSET": np.zeros(count, int), "RATE": analog.rate,
        "FORMAT": "SIGNED", "BITS": 16,
    }  # fmt: skip


def _plates(trial: C3dTrial) -> dict[str, Any]:
    plates = trial.rec.manifest.get("plates", []) if trial.analog else []
    if not plates:
        return {"USED": 0}
    channels = np.zeros((max(len(plate["channels"]) for plate in plates), len(plates)), int)
    for k, plate in enumerate(plates):
        channels[: len(plate["channels"]), k] = np.asarray(plate["channels"]) + 1
    return {
        "USED": len(plates), "TYPE": np.array([plate["type"] for plate in plates]), "ZERO": np.array([1, 0]),
        "CORNERS": np.stack([np.asarray(plate["corners"]).T for plate in plates], axis=2) / trial.length,
        "ORIGIN": np.stack([np.asarray(plate["origin"]) for plate in plates], axis=1) / trial.length,
        "CHANNEL": channels, "CAL_MATRIX": np.stack([_matrix(plate, trial) for plate in plates], axis=2),
    }  # fmt: skip


def _matrix(plate: dict[str, Any], trial: C3dTrial) -> np.ndarray:
    """Return the matrix that makes forces and moments of a plate's channels, in the file's units."""
    if "matrix" not in plate or trial.analog is None:
        return np.eye(6)
    rows = np.repeat([1.0, trial.length], 3)[:, None]
    return np.asarray(np.asarray(plate["matrix"]) / rows / trial.analog.factors[plate["channels"]])


def _subjects(trial: C3dTrial) -> dict[str, Any]:
    subject = trial.rec.manifest.get("subject")
    names = [subject] if isinstance(subject, str) else [str(name) for name in subject or ()]
    return {"USED": len(names), "NAMES": names}


def _events(trial: C3dTrial) -> dict[str, Any]:
    events = trial.rec.events
    if not events:
        return {"USED": 0}
    return {
        "USED": len(events), "LABELS": [event.name for event in events], "DESCRIPTIONS": [""] * len(events),
        "CONTEXTS": [str(event.detail.get("context", "")) for event in events],
        "SUBJECTS": [str(event.detail.get("subject", "")) for event in events],
        "TIMES": np.array([divmod(event.time + trial.delay, 60.0) for event in events]).T,  # minutes, seconds
        "ICON_IDS": np.zeros(len(events), int), "GENERIC_FLAGS": np.zeros(len(events), np.uint8),
    }  # fmt: skip
