"""Which samples of a wrist are its extreme poses, and its numbers beside published ones."""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from motiform.spatial import log_rotation, rotation_from_quaternion
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["Bends", "published_rows"]

_LEAST = np.deg2rad(5.0)  # by which the hand must be bent to count
_SHOWN = ("capitate", "scaphoid", "lunate", "triquetrum", "pisiform", "trapezium", "trapezoid", "hamate")
#: Means of scaphoid and lunate, in % of the capitate: extreme poses of living wrists.
_RAINBOW = {"flexion": (70, 46), "extension": (74, 42)}
_RADIOCARPAL = {"flexion": 40, "extension": 60}
_MIDCARPAL = (
    ("scaphoid – trapezium, trapezoid", ("scaphoid_trapezium", "scaphoid_trapezoid"), 23),
    ("scaphoid – capitate", ("scaphoid_capitate",), 28),
    ("lunate – capitate", ("lunate_capitate",), 29),
    ("triquetrum – hamate", ("triquetrum_hamate",), 20),
)
_YIELD = {"dorsal": 260, "palmar": 118, "proximal": 63}


class Bends:
    """How far the hand is bent at each sample, and at which samples it is bent most."""

    def __init__(self, rec: "Recording") -> None:
        from motiform.motion.bones.axes import rotation_axes

        self.rec = rec
        axes = {key: np.array(value) for key, value in rec.manifest["axes"].items()}
        self.center: Array = axes["center"]
        self.anatomical: Array = np.stack([axes["distal"], axes["radial"], axes["palmar"]])
        self.turns: Array = rotation_axes(*self.anatomical)
        self.lead = "capitate" if "capitate.orientation" in rec else rec.manifest["driven"][0]
        self.bones = [name for name in _SHOWN if f"{name}.orientation" in rec]
        self.hand: Array = self.vectors(self.lead)[:, :2]

    def vectors(self, bone: str) -> Array:
        """Return flexion, ulnar deviation and pronation, parts of the rotation vector, at all samples [rad], (n, 3)."""
        R = rotation_from_quaternion(np.asarray(self.rec[f"{bone}.orientation"]))
        return np.asarray(log_rotation(R) @ self.turns.T)

    def turn(self, bone: str, sample: int) -> Array:
        """Return flexion, ulnar deviation and pronation of a bone at a sample [deg], (3,)."""
        return np.asarray(np.rad2deg(self.vectors(bone)[sample]))

    @cached_property
    def bent(self) -> dict[str, int]:
        """The sample at which the hand is bent most, of those kinds of bending that there are."""
        bent, turned = self.hand.T
        found = {}
        for name, main, other in (("flexion", bent, turned), ("extension", -bent, turned),
                                  ("radial deviation", -turned, bent), ("ulnar deviation", turned, bent)):  # fmt: skip
            value = np.where(np.abs(main) >= np.abs(other), main, -np.inf)
            if value.max() > _LEAST:
                found[name] = int(value.argmax())
        return found

    @cached_property
    def samples(self) -> dict[str, int]:
        """The straightest sample, and those at which the hand is bent most."""
        return {"straight": int(np.linalg.norm(self.hand, axis=1).argmin()), **self.bent}

    def caption(self, name: str) -> str:
        """Return the kind of bending with its angle."""
        bent, turned = np.rad2deg(self.hand[self.samples[name]])
        value = bent if name in ("flexion", "extension") else turned
        return f"{name} {abs(value):.0f}°" if name in self.bent else "straight"


def published_rows(rec: "Recording", bends: Bends) -> list[list[str]]:
    """Return rows of a table: quantity, here, published, source."""
    return [
        *_share_rows(rec, bends), *_deviation_rows(bends), *_axis_rows(rec, bends), *_load_rows(rec, bends),
        *_yield_rows(rec),
    ]  # fmt: skip


def _share_rows(rec: "Recording", bends: Bends) -> list[list[str]]:
    from motiform.motion.bones import helical_axes, rotation_shares

    shares, rows = rotation_shares(rec, hand=bends.lead), []
    for name, means in _RAINBOW.items():
        if name not in bends.bent:
            continue
        i, pose = bends.bent[name], bends.caption(name)
        for bone, mean in zip(("scaphoid", "lunate"), means, strict=True):
            if bone in shares:
                here = f"{100 * shares[bone][i]:.0f} %"
                rows.append([f"{bone} to capitate, {pose}", here, f"{mean} %", "Rainbow 2013, extreme poses"])
        if "lunate" in shares and "capitate.orientation" in rec:
            radial = helical_axes(rec, "lunate").angle[i]
            middle = helical_axes(rec, "capitate", relative="lunate").angle[i]
            share, published = 100 * radial / (radial + middle), _RADIOCARPAL[name]
            here, there = (f"{x:.0f} / {100 - x:.0f} %" for x in (share, published))
            rows.append([f"radiocarpal / midcarpal (lunate), {pose}", here, there, "review"])
    return rows


def _deviation_rows(bends: Bends) -> list[list[str]]:
    rows = []
    for name, verb in (("radial deviation", "flex"), ("ulnar deviation", "extend")):
        bones = [bone for bone in ("scaphoid", "lunate") if bone in bends.bones]
        if name in bends.bent and bones:
            flexed = [bends.turn(bone, bends.bent[name])[0] for bone in bones]
            here = ", ".join(f"{bone} {x:+.1f}°" for bone, x in zip(bones, flexed, strict=True))
            rows.append([f"flexion of the proximal row in {bends.caption(name)}", here, f"they {verb}", "Werner 2004"])
    return rows


def _axis_rows(rec: "Recording", bends: Bends) -> list[list[str]]:
    """Return the distance between the axes of the capitate in flexion–extension and in deviation."""
    from motiform.motion.bones import helical_axes

    found = helical_axes(rec, bends.lead)
    one = [bends.bent[name] for name in ("flexion", "extension") if name in bends.bent]
    two = [bends.bent[name] for name in ("radial deviation", "ulnar deviation") if name in bends.bent]
    if not one or not two:
        return []
    gaps = []
    for i in one:
        for k in two:
            across = np.cross(found.direction[i], found.direction[k])
            gaps.append(abs((found.point[k] - found.point[i]) @ across) / max(float(np.linalg.norm(across)), 1e-9))
    here = f"{1e3 * np.mean(gaps):.1f} mm"
    return [["flexion axis to deviation axis of the capitate", here, "3.9 ± 2.0 mm", "J Biomech 34 (2001) 1429"]]


def _load_rows(rec: "Recording", bends: Bends) -> list[list[str]]:
    """Return how the force between the rows is shared, as a mean over the poses in which the hand is bent."""
    if "contact.force" not in rec or not bends.bent:
        return []
    names, force = rec.manifest["labels"]["pair"], np.asarray(rec["contact.force"])[list(bends.bent.values())]
    sums = [sum(force[:, n].mean() for n, pair in enumerate(names) if pair in pairs) for _, pairs, _ in _MIDCARPAL]
    if not sum(sums) > 0:
        return []
    return [
        [
            f"share of the midcarpal force, {name}",
            f"{100 * own / sum(sums):.0f} %",
            f"{published} %",
            "Viegas 1993, loaded",
        ]
        for (name, _, published), own in zip(_MIDCARPAL, sums, strict=True)
    ]


def _yield_rows(rec: "Recording") -> list[list[str]]:
    if "ligament.tension" not in rec:
        return []
    names, rows = rec.manifest["labels"]["ligament"], []
    for part, most in _YIELD.items():
        if f"scapholunate_{part}" in names:
            pull = np.asarray(rec["ligament.tension"])[:, names.index(f"scapholunate_{part}")].max()
            rows.append([f"scapholunate ligament, {part}: largest tension", f"{pull:.1f} N", f"yields at {most} N",
                         "Berger 1999"])  # fmt: skip
    return rows
