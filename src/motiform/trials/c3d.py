"""The markers of a trial written back as C3D, with its angles, moments, powers and events."""

from pathlib import Path

import numpy as np

from motiform.base.errors import MotiformError
from motiform.measure import Computed, marker_names, write_c3d
from motiform.measure.changes import changed
from motiform.motion.postures import GaitSeries, joint_series, walker_of
from motiform.motion.tree import Figure
from motiform.record import Event, Recording

__all__ = ["computed_points", "write_back"]

_SIDES = {"l": ("L", "Left"), "r": ("R", "Right")}
_STEPS = {"foot strike": "Foot Strike", "foot off": "Foot Off"}
_SAME = ("foot strike", "heel strike", "initial contact", "foot off", "toe off")  # of a file: written again below
# joint: (name as Plug-in Gait has it, components x, y, z)
_POINTS: dict[str, tuple[str, tuple[str, str, str]]] = {
    "pelvis": ("PelvisAngles", ("anterior_tilt", "obliquity_up", "internal_rotation")),
    "hip": ("HipAngles", ("flexion", "adduction", "internal_rotation")),
    "knee": ("KneeAngles", ("flexion", "adduction", "internal_rotation")),
    "ankle": ("AnkleAngles", ("dorsiflexion", "inversion", "internal_rotation")),
    "foot": ("FootProgressAngles", ("", "", "internal_progression")),
}
_KINDS = {  # group: (list in POINT, unit, factor, what follows the joint's name)
    "angles": ("ANGLES", "deg", 1.0, "Angles"),
    "moments": ("MOMENTS", "Nmm/kg", 1e3, "Moment"),
    "powers": ("POWERS", "W/kg", 1.0, "Power"),
}


def write_back(rec: Recording, figure: Figure, markers: Recording, path: Path) -> Path | None:
    """Write the markers, analog channels and plates of a trial in their own axes, with what was computed from them.

    Angles, moments and powers are points named as Plug-in Gait's, foot strikes and offs are events. None where the
    times of the markers are uneven, which C3D cannot hold.
    """
    own = markers.channel("markers")
    if own.rate is None or markers.count("markers") != rec.count("q"):
        return None
    try:
        walker = walker_of(figure, rec.time("q"), rec["q"])
        found = joint_series(rec, figure, walker, rec.manifest["reconstruct"]["angles"])
        points = computed_points(found, set(marker_names(markers)))
    except MotiformError:  # no feet, or feet without a direction: events and markers are left
        points = []
    manifest = dict(markers.manifest)
    plates = manifest.get("plates", [])
    manifest["plates"] = plates if all("channels" in plate for plate in plates) else []  # forces of another file
    trial = changed(markers, {}, manifest=manifest, events=_events(rec, markers))
    write_c3d(trial, path, computed=points)
    return path


def _events(rec: Recording, markers: Recording) -> list[Event]:
    """Return the strikes and offs of the trial as C3D names them, and all other events of its file."""
    subject = rec.manifest.get("subject")
    name = subject if isinstance(subject, str) else ""
    steps = [
        Event(one.time, _STEPS[one.detail["kind"]], {"context": _SIDES[one.detail["side"]][1], "subject": name})
        for one in rec.events
        if (one.detail or {}).get("kind") in _STEPS and one.detail.get("side") in _SIDES
    ]
    others = [one for one in markers.events if one.name.strip().lower() not in _SAME]
    return sorted([*others, *steps], key=lambda one: one.time)


def computed_points(found: GaitSeries, taken: set[str]) -> list[Computed]:
    """Return angles [deg], moments [N·mm/kg] and powers [W/kg] as points; powers are in z, as Plug-in Gait has them."""
    made: dict[str, dict[str, tuple[np.ndarray, str]]] = {group: {} for group in _KINDS}
    for one in found.series:
        title, parts = _POINTS[one.joint]
        _, _, factor, ending = _KINDS[one.group]
        name = _SIDES[one.side][0] + (title if one.group == "angles" else one.joint.capitalize() + ending)
        name += "_motiform" * (name in taken)
        place = 2 if one.group == "powers" else parts.index(one.name)
        about = ", ".join(part.replace("_", " ") for part in parts if part) if one.group != "powers" else "total in z"
        if one.group == "moments":
            about = f"{'external' if one.external else 'internal'} moment: {about}"
        values, _ = made[one.group].setdefault(name, (np.full((len(found.times), 3), np.nan), about))
        values[:, place] = factor * one.values
    for own in made.values():
        for values, _ in own.values():  # a component that the joint does not have is zero where the others are known
            known = np.isfinite(values).any(1)
            values[known] = np.nan_to_num(values[known])
    return [
        Computed(
            _KINDS[group][0], _KINDS[group][1], tuple(own), tuple(about for _, about in own.values()),
            np.stack([values for values, _ in own.values()], axis=1),
        )
        for group, own in made.items() if own
    ]  # fmt: skip
