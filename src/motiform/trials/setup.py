"""The parameters of a reconstruction as a person sets them: HuMAnS's MenuReconstruction without its windows.

[HuMAnS 9.6.2]: the subject's number, lengths, places of tags, the correspondence of markers and tags, the file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.base.progress import Progress
from motiform.measure import Subject, marker_names, match_names, read_markers, read_subjects, write_subjects
from motiform.motion.figures import human36
from motiform.motion.figures.marker_sets import MARKER_SETS
from motiform.record import Recording
from motiform.spatial import rotate
from motiform.trials.defaults import settle_defaults
from motiform.trials.figure import FigureSpec
from motiform.trials.trial import MarkerTrial, TrialOptions, check_options, reconstruct_trial

__all__ = ["TAGS", "TrialSetup", "marker_lines"]

TAGS = "tags"
"""Markers are on tags by correspondence, and not of a marker set."""
_HEIGHT, _MASS = 1.741, 73.0  # of HuMAnS's mean body


@dataclass
class TrialSetup:
    """Parameters of a reconstruction of one file with Human36; they may be changed before `work`."""

    source: Path
    name: str = "01"
    """Number of the subject, XX, or XXYY with that of a variant."""
    height: float = _HEIGHT
    mass: float = _MASS
    lengths: dict[str, float] = field(default_factory=dict)
    """L1 to L31 [m]."""
    tags: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    """Places of tags in their segments [m]."""
    marker_set: str = TAGS
    """A marker set, whose sites are the tags then, or `TAGS`."""
    correspondence: dict[str, str | None] = field(default_factory=dict)
    """Marker of each tag, None where it has none."""
    calibrate: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    """`fill`, `frame`, `filter` of `TrialOptions`."""
    reconstruct: dict[str, Any] = field(default_factory=dict)
    """Options of `reconstruct`."""
    markers: Recording = field(init=False)

    def __post_init__(self) -> None:
        self.markers = read_markers(self.source)
        self.match()

    @property
    def marker_names(self) -> list[str]:
        """Names of the markers of the file."""
        return marker_names(self.markers)

    def take_body(self) -> None:
        """Take lengths and tags of a mean body of the height."""
        body = human36(self.height, self.mass)
        self.lengths = {f"L{n}": float(value) for n, value in enumerate(body.lengths, start=1)}
        self.tags = {tag.name: tuple(map(float, tag.point)) for tag in body.tags}  # type: ignore[misc]

    def match(self) -> None:
        """Take the marker set that the file has, or the tags whose names its markers have."""
        body = self.markers.manifest.get("body", {})
        self.mass = float(body.get("mass", self.mass))
        self.height = float(body.get("height", self.height))
        try:
            chosen, assumed = settle_defaults(TrialOptions(), self.markers, None)
        except InputError:  # names of a laboratory's own: a correspondence will tell
            chosen, assumed = TrialOptions(), {}
        if "markers" in assumed and assumed["markers"][1] in MARKER_SETS:  # not sites by names alone
            self.marker_set, self.calibrate = str(assumed["markers"][1]), bool(chosen.calibrate)
        self.height = float(chosen.figure.measures.get("height", self.height))
        self.take_body()
        try:
            found = match_names(self.markers, self.tags)
            self.correspondence = dict(zip(found.tags, found.markers, strict=True))
        except InputError:
            self.correspondence = dict.fromkeys(self.tags)

    # ---------------------------------------------------------------- tables
    def subject(self) -> Subject:
        """Return the measures as a column of a table."""
        return Subject(self.name, self.lengths, self.tags, height=self.height, mass=self.mass)

    def save(self, table: Path, into: Path) -> None:
        """Write a table with one column more, or this one anew; `table` need not be there."""
        known = dict(read_subjects(table)) if table.is_file() else {}
        known[self.name] = self.subject()
        write_subjects(known, into, overwrite=True)

    def load(self, table: Path, name: str | None = None) -> list[str]:
        """Take the measures of a column, the one of `name` or the first; return the names of all."""
        known = read_subjects(table)
        chosen = name or next(iter(known))
        if chosen not in known:
            raise InputError("no such subject", where=str(table.name), got=chosen, allowed=", ".join(known),
                             remedy=closest(chosen, known))  # fmt: skip
        one = known[chosen]
        self.name = chosen
        self.height, self.mass = one.height or self.height, one.mass or self.mass
        self.take_body()
        self.lengths |= one.lengths
        unknown = [tag for tag in one.tags if tag not in self.tags]
        if unknown:
            raise InputError("the tags of a subject must be those of Human36", where=str(table.name), got=unknown[0],
                             remedy=closest(unknown[0], self.tags))  # fmt: skip
        self.tags |= one.tags
        return list(known)

    # ---------------------------------------------------------------- launch
    def trial(self) -> MarkerTrial:
        """Return the trial with these parameters, checked."""
        measures: dict[str, Any] = {"height": self.height, "mass": self.mass, "lengths": dict(self.lengths)}
        given = dict(self.reconstruct)
        if self.marker_set == TAGS:
            measures["tags"] = dict(self.tags)
            given["correspondence"] = dict(self.correspondence)
            if not any(self.correspondence.values()):
                raise InputError("no tag has a marker", remedy="Choose the markers of tags, or a marker set.")
        elif self.marker_set in MARKER_SETS:
            measures["markers"] = self.marker_set
        else:
            raise InputError("no such marker set", got=self.marker_set, allowed=", ".join([TAGS, *MARKER_SETS]))
        options = TrialOptions(
            FigureSpec(measures=measures), reconstruct=given, calibrate=self.calibrate, report=False, **self.options
        )
        check_options(options)
        return MarkerTrial(str(self.source.absolute()), self.source.stem, "", options)

    def work(self) -> Callable[[Progress], Recording]:
        """Return the reconstruction with the parameters as they are now."""
        trial = self.trial()
        return lambda progress: reconstruct_trial(trial, progress)[0]


def marker_lines(skeleton: Mapping[str, Any]) -> np.ndarray:
    """Return which tags are joined by lines in a drawing of the markers (lines, 2), from a manifest's skeleton.

    Tags of one segment in their order; the first of each with the nearest of the next segments towards the root.
    """
    segments, own = skeleton["segments"], list(skeleton["tags"].values())
    places = np.array(
        [
            np.array(segments[tag["segment"]]["at"])
            + rotate(np.array(segments[tag["segment"]]["turn"]), np.array(tag["at"]))
            for tag in own
        ]
    )
    found: list[tuple[int, int]] = []
    for name in segments:
        mine = [k for k, tag in enumerate(own) if tag["segment"] == name]
        found += list(pairwise(mine))
        parent = segments[name].get("parent")
        while mine and parent is not None:
            theirs = [k for k, tag in enumerate(own) if tag["segment"] == parent]
            if theirs:
                far = np.linalg.norm(places[mine][:, None] - places[theirs], axis=-1)
                i, j = np.unravel_index(int(np.argmin(far)), far.shape)
                found.append((mine[int(i)], theirs[int(j)]))
                break
            parent = segments[parent].get("parent")
    return np.array(found, int).reshape(-1, 2)
