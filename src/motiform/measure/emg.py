"""Electromyograms among analog channels: which they are, and their envelopes."""

import re
from dataclasses import dataclass

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.filters import filtered
from motiform.record.recording import Recording, check_recording

__all__ = ["EmgChannel", "EmgEnvelopes", "emg_channels", "emg_envelopes"]

HIGH, LOW, ORDER = 20.0, 6.0, 2
"""[Hz] Cutoffs of the high pass, which takes off motion of electrodes [DeLuca10], and of the low pass after
rectification; the order of each, which running forwards and backwards doubles."""
_MUSCLES = {
    "gluteus maximus": ("gmax", "glutmax", "gluteusmaximus", "gmx"),
    "gluteus medius": ("gmed", "glutmed", "gluteusmedius", "gmd"),
    "rectus femoris": ("rf", "rectfem", "rectus", "rectusfemoris", "rect"),
    "vastus lateralis": ("vl", "vaslat", "vastlat", "vastuslateralis"),
    "vastus medialis": ("vm", "vmo", "vasmed", "vastmed", "vastusmedialis"),
    "biceps femoris": ("bf", "bflh", "bicfem", "bicepsfemoris"),
    "semitendinosus": ("st", "semit", "semitend", "semitendinosus"),
    "semimembranosus": ("sm", "semimem", "semimembranosus"),
    "hamstrings": ("ham", "hams", "hamstrings"),
    "medial hamstrings": ("mh", "medham", "medialhamstrings"),
    "lateral hamstrings": ("lh", "latham", "lateralhamstrings"),
    "adductors": ("add", "adductors", "adductor", "addlong", "adductorlongus"),
    "tibialis anterior": ("ta", "tibant", "tibialis", "tibialisanterior"),
    "gastrocnemius": ("gas", "gast", "gastroc", "gastrocnemius", "gc"),
    "gastrocnemius medialis": ("gm", "mg", "gasmed", "medgas", "medgastroc", "gastrocnemiusmedialis"),
    "gastrocnemius lateralis": ("gl", "lg", "gaslat", "latgas", "latgastroc", "gastrocnemiuslateralis"),
    "soleus": ("sol", "soleus"),
    "peroneus longus": ("pl", "perlong", "peroneus", "peroneuslongus"),
    "erector spinae": ("es", "erector", "erectorspinae"),
}
_OF = {short: name for name, shorts in _MUSCLES.items() for short in shorts}
_SIDES = {"l": "l", "left": "l", "r": "r", "right": "r"}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SLOWEST = 4.0  # times the high cutoff: below it a sample rate cuts the band of the signal


@dataclass(frozen=True)
class EmgChannel:
    """An analog channel that holds an electromyogram."""

    index: int
    """Among the analog channels."""
    name: str
    """As the file has it."""
    muscle: str
    side: str
    """ "l" or "r"; empty where the name does not tell."""


@dataclass(frozen=True)
class EmgEnvelopes:
    """Envelopes over time."""

    times: np.ndarray
    """[s], (samples,)"""
    channels: tuple[EmgChannel, ...]
    values: np.ndarray
    """In the unit of the file, (samples, channels)."""
    left_out: tuple[str, ...] = ()
    """Channels that have none, and why."""


def emg_channels(rec: Recording) -> list[EmgChannel]:
    """Return the analog channels whose names are those of electromyograms; none of force plates.

    A name is one where it has "EMG" in it, or where it is a muscle's with its side: "LTA", "R_RectFem", "Left VL".
    """
    check_recording(rec)
    if "analog" not in rec:
        return []
    plates = {int(k) for plate in rec.manifest.get("plates") or [] for k in plate.get("channels") or []}
    found = []
    for k, name in enumerate(rec.manifest.get("labels", {}).get("analog") or []):
        if k not in plates:
            own = _parsed(k, str(name))
            found += [own] if own is not None else []
    return found


def _parsed(index: int, name: str) -> EmgChannel | None:
    plain = name.split(".", 1)[-1] if "." in name else name  # "Voltage.LTA" of Vicon's devices
    words = [word.lower() for word in _WORDS.findall(plain)]
    marked = any("emg" in word for word in words) or "emg" in name.lower()
    words = [word for word in (word.replace("emg", "") for word in words) if word]
    side = next((_SIDES[word] for word in words if word in _SIDES), "")
    rest = [word for word in words if word not in _SIDES]
    muscle = _OF.get("".join(word for word in rest if not word.isdigit()))
    if muscle is None and not side and rest and rest[0][:1] in ("l", "r"):  # LTA, RGAS
        glued = _OF.get("".join(word for word in rest if not word.isdigit())[1:])
        muscle, side = (glued, rest[0][0]) if glued is not None else (None, side)
    if not marked and (muscle is None or not side):
        return None
    return EmgChannel(index, name, muscle or " ".join(rest) or name, side)


def emg_envelopes(rec: Recording, *, high: float = HIGH, low: float = LOW) -> EmgEnvelopes:
    """Return the envelopes of all electromyograms: high-passed, rectified, low-passed, without delay.

    Butterworth filters of order 2 run forwards and backwards. Left out are channels whose side is not told, that never
    change, that have gaps, or are sampled too slowly for ``high`` [Hz]: four times it at least.
    """
    if not 0 < low < high:
        raise InputError("the low pass must be below the high pass", got=f"{low:g} and {high:g} Hz")
    found, left = emg_channels(rec), list[str]()
    rate = float(rec.channel("analog").rate or 0.0) if found else 0.0
    used, columns = [], []
    for one in found:
        signal = np.asarray(rec["analog"])[:, one.index].astype(float)
        flaw = _flaw(one, signal, rate, high)
        if flaw:
            left.append(f"{one.name}: {flaw}")
            continue
        band = filtered(signal[:, None], high, rate, ORDER, True, high=True)
        columns.append(filtered(np.abs(band), low, rate, ORDER, True)[:, 0])
        used.append(one)
    times = rec.time("analog") if found else np.zeros(0)
    values = np.stack(columns, axis=1) if columns else np.zeros((len(times), 0))
    return EmgEnvelopes(times, tuple(used), np.maximum(values, 0.0), tuple(left))


def _flaw(one: EmgChannel, signal: np.ndarray, rate: float, high: float) -> str:
    if not one.side:
        return "its name does not tell the side"
    if rate < _SLOWEST * high:
        return f"{rate:g} Hz are too slow, {_SLOWEST * high:g} Hz or more are needed"
    if not np.isfinite(signal).all():
        return "it has gaps"
    return "" if len(signal) and np.ptp(signal) > 0 else "it never changes"
