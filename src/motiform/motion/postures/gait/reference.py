"""What a gait is compared with: bands of a laboratory's own, or the sessions of its controls."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest, closest_file
from motiform.base.files import reads_file
from motiform.motion.postures.gait.cycle_statistics import mean_curve
from motiform.motion.postures.gait.cycles import POINTS
from motiform.motion.postures.gait.indices import PROFILE, DeviationIndex, gait_vector
from motiform.motion.postures.gait.normative import read_normative
from motiform.motion.tree.model.joint import Array
from motiform.record.files import AnyPath, as_path, disk, new_file, write_file

__all__ = ["REFERENCE_KIND", "SESSION_KIND", "GaitReference", "read_reference", "write_reference"]

SESSION_KIND, REFERENCE_KIND = "motiform session", "motiform gait reference"
VERSION = 1
"""Of the layouts of both."""


@dataclass(frozen=True)
class GaitReference:
    """Mean and standard deviation of each quantity over the cycle, and the controls that they are of."""

    name: str
    """Of the file."""
    source: str
    """Who was measured, and how."""
    means: Mapping[str, Array] = field(default_factory=dict)
    """Of each quantity (101,), by title or "title [unit]"."""
    bands: Mapping[str, Array] = field(default_factory=dict)
    """Lower and upper border, (2, 101)."""
    subjects: int = 0
    """People that it is of; 0: the file does not tell."""
    controls: tuple[Mapping[str, Array], ...] = ()
    """Mean curves of one side of one control each, by title; none where the file has bands alone."""
    convention: str = ""
    """Of its angles; empty: the file does not tell."""
    patients: tuple[Mapping[str, Array], ...] = ()
    """Mean curves of sides of others, which the features of the deviation index hold, too."""

    def mean_of(self, title: str, unit: str) -> Array | None:
        """Return the mean curve of a quantity, None where there is none."""
        found = self.means.get(f"{title} [{unit}]")
        return self.means.get(title) if found is None else found

    def band_of(self, title: str, unit: str) -> Array | None:
        """Return lower and upper border of a quantity (2, 101), None where there is none."""
        found = self.bands.get(f"{title} [{unit}]")
        return self.bands.get(title) if found is None else found

    def profile_means(self) -> dict[str, Array]:
        """Return the means of the curves of `PROFILE` by title."""
        found = {title: self.mean_of(title, "°") for title in PROFILE}
        return {title: mean for title, mean in found.items() if mean is not None}

    def deviation_index(self) -> DeviationIndex:
        """Return what tells Gait Deviation Indices; refused where the reference has no controls."""
        return DeviationIndex(_gaits(self.controls), self.subjects, _gaits(self.patients))


def _gaits(sides: Iterable[Mapping[str, Array]]) -> Array:
    found = [gait for gait in map(gait_vector, sides) if gait is not None]
    return np.array(found) if found else np.zeros((0, len(PROFILE) * (POINTS // 2 + 1)))


@reads_file("reference")
def read_reference(path: AnyPath) -> GaitReference:
    """Read a reference: a table of bands (CSV, as `read_normative` takes), or JSON of `write_reference` or a session.

    FILE.json:CONDITION is one condition of a session that has several.
    """
    place, condition = _split(path)
    if not place.is_file():
        allowed = "a CSV table of bands, or JSON of a reference or of a session"
        raise InputError("no such file", where=str(place), allowed=allowed, remedy=closest_file(place))
    if place.suffix.lower() != ".json":
        table = read_normative(place)
        means = {name: band.mean(0) for name, band in table.bands.items()} if table.deviations else {}
        return GaitReference(table.name, table.source, means, table.bands)
    found = _json_of(place)
    if found.get("kind") == SESSION_KIND:
        subjects = [_subject(found, str(place), condition)]
        return _made(place.name, f"session {found.get('title') or place.name}", subjects, found)
    if condition is not None:
        raise InputError("a reference has no conditions", where=str(place), got=condition)
    return _made(place.name, str(found.get("source", "")), found.get("controls"), found)


def _split(path: AnyPath) -> tuple[Path, str | None]:
    place = as_path(path)
    if not place.is_file() and ".json:" in str(path).lower():
        at = str(path).lower().rindex(".json:") + len(".json")
        return as_path(str(path)[:at]), str(path)[at + 1 :]
    return place, None


def _json_of(place: Path) -> dict[str, Any]:
    try:
        found = json.loads(place.read_text("utf-8"))
    except ValueError as error:
        raise InputError("the file must be JSON", where=str(place), got=str(error)[:80]) from error
    kind = found.get("kind") if isinstance(found, dict) else None
    if kind not in (SESSION_KIND, REFERENCE_KIND):
        allowed = f"{SESSION_KIND!r} or {REFERENCE_KIND!r}"
        raise InputError("the kind of the file must be known", where=str(place), got=repr(kind)[:60], allowed=allowed)
    if found.get("version") != VERSION:
        raise InputError("the version of the file must be known", where=str(place), got=repr(found.get("version"))[:40],
                         allowed=str(VERSION))  # fmt: skip
    assert isinstance(found, dict)
    return found


def _subject(session: Mapping[str, Any], where: str, condition: str | None) -> dict[str, Any]:
    """Return the curves of both sides of one condition of a session: {"subject": …, "sides": {"l": {title: curve}}}."""
    known = [str(one) for one in session.get("conditions") or []]
    if condition is None and len(known) > 1:
        raise InputError("a session of several conditions must be given with one of them", where=where,
                         got=", ".join(known), allowed=f"{where}:{known[0]}")  # fmt: skip
    chosen = condition if condition is not None else (known[0] if known else "")
    if chosen not in known:
        raise InputError("no such condition", where=where, got=chosen, allowed=", ".join(known),
                         remedy=closest(chosen, known))  # fmt: skip
    sides: dict[str, dict[str, Any]] = {}
    for one in session.get("means") or []:
        if one["condition"] == chosen:
            sides.setdefault(one["side"], {})[f"{one['title']} [{one['unit']}]"] = one["mean"]
    each: dict[str, list[Any]] = {}
    for one in session.get("curves") or []:
        if one["condition"] == chosen:
            each.setdefault(f"{one['title']} [{one['unit']}]", []).extend(one["curves"])
    return {"subject": str(session.get("subject") or where), "sides": sides, "cycles": each}


def _made(name: str, source: str, controls: Any, found: Mapping[str, Any]) -> GaitReference:
    """Return the reference of controls: mean and deviation between them; of one alone, between its cycles."""
    where = name
    try:
        each = [_means_of(one) for one in controls]
        sides, others = (_sides(group) for group in (controls, found.get("patients") or []))
        if len(each) == 1:
            sets = {title: np.array([_curve(one) for one in own]) for title, own in controls[0]["cycles"].items()}
        else:
            titles = dict.fromkeys(title for one in each for title in one)
            sets = {title: np.array([one[title] for one in each if title in one]) for title in titles}
        subjects = len({str(one["subject"]) for one in controls})
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        allowed = "controls with subject, sides and curves of 101 numbers"
        raise InputError("the reference must be complete", where=where, got=str(error)[:80], allowed=allowed) from error
    own = {title: mean_curve(curves) for title, curves in sets.items() if len(curves)}
    bands = {title: np.stack([one.mean - one.sd, one.mean + one.sd]) for title, one in own.items() if one.cycles > 1}
    means = {title: one.mean for title, one in own.items()}
    return GaitReference(name, source, means, bands, subjects, sides, str(found.get("convention") or ""), others)


def _sides(people: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Array], ...]:
    return tuple(_plain_titles(_curves(curves)) for one in people for curves in one["sides"].values())


def _means_of(control: Mapping[str, Any]) -> dict[str, Array]:
    """Return the mean of both sides of a control."""
    sides = [_curves(curves) for curves in control["sides"].values()]
    titles = dict.fromkeys(title for side in sides for title in side)
    return {title: mean_curve(np.array([side[title] for side in sides if title in side])).mean for title in titles}


def _curves(curves: Mapping[str, Any]) -> dict[str, Array]:
    return {str(title): _curve(one) for title, one in curves.items()}


def _curve(numbers: Any) -> Array:
    found = np.array([np.nan if x is None else float(x) for x in numbers])
    if found.shape != (POINTS,):
        raise ValueError(f"a curve must have {POINTS} numbers, not {len(found)}")
    return found


def _plain_titles(curves: Mapping[str, Array]) -> dict[str, Array]:
    return {title.partition(" [")[0]: curve for title, curve in curves.items()}


def write_reference(
    sessions: Iterable[AnyPath],
    path: AnyPath,
    *,
    source: str,
    patients: Iterable[AnyPath] = (),
    overwrite: bool = False,
) -> None:
    """Write a reference from sessions of controls, one for each (session.json, or FILE.json:CONDITION).

    The band of a quantity is the mean of the controls and the standard deviation between them, each the mean of both
    sides. ``source`` says who was measured and how; it is shown wherever the bands are. ``patients`` are sessions of
    others, of as many kinds as there are: the features of the Gait Deviation Index are those of all
    [SchwartzRozumalski08], and no more is taken from them. Conventions must be alike.
    """
    each, others = ([_read_control(one) for one in group] for group in (sessions, patients))
    controls = [control for control, _ in each]
    conventions = [convention for _, convention in (*each, *others)]
    _check_controls(controls, conventions)
    made = {"kind": REFERENCE_KIND, "version": VERSION, "source": source, "convention": conventions[0],
            "controls": controls, "patients": [patient for patient, _ in others]}  # fmt: skip
    file = new_file(path, overwrite)
    with disk(file):
        write_file(file, (json.dumps(made) + "\n").encode())


@reads_file("session")
def _read_control(path: AnyPath) -> tuple[dict[str, Any], str]:
    """Return the mean curves of both sides of a session, and the convention of its angles."""
    place, condition = _split(path)
    if not place.is_file():
        raise InputError("no such file", got=str(place), allowed="session.json", remedy=closest_file(place))
    found = _json_of(place)
    if found["kind"] != SESSION_KIND:
        raise InputError("a reference must be made of sessions", where=str(place), got=found["kind"])
    own = _subject(found, str(place), condition)
    for curves in own["sides"].values():
        _curves(curves)  # refuses what is no curve
    return {"subject": own["subject"], "sides": own["sides"]}, str(found.get("convention") or "")


def _check_controls(controls: Sequence[Mapping[str, Any]], conventions: Sequence[str]) -> None:
    names = [str(one["subject"]) for one in controls]
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise InputError("a reference must have subjects, each once", got=", ".join(names) or "none",
                         allowed="two sessions or more, each with a subject of its own",
                         remedy="Name the subject of each session in its session.toml.")  # fmt: skip
    if len(set(conventions)) > 1:
        raise InputError("the convention of angles must be one", got=", ".join(sorted(set(conventions))))
