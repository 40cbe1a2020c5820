"""The report of a wrist: pictures, rotations beside published ones, helical axes, forces; a page, or PDF."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motiform.image.report.blocks import Block, Heading, Picture, ReportTable, Strip, Text
from motiform.image.report.page import write_blocks
from motiform.image.report.pictures import png_of_pixels
from motiform.image.report.wrist_plots import force_plot, rotation_plot
from motiform.image.report.wrist_values import Bends, published_rows

if TYPE_CHECKING:
    from motiform.motion.bones import Wrist
    from motiform.record import Recording

__all__ = ["write_wrist_report"]

_SIZE = (320, 400)
_MOST = 16  # rows of the longest tables that are shown at once


def write_wrist_report(
    wrist: "Wrist", rec: "Recording", path: str | os.PathLike[str], *, title: str = "wrist", overwrite: bool = False
) -> Path:
    """Write a report about a wrist at rest in several poses, and return its path.

    Parameters
    ----------
    rec : what `wrist.settle` gave.
    path : file to write: .html, a page that needs no other file and no network; or .pdf.
    """
    bends = Bends(rec)
    parts: list[list[Block]] = [
        [Heading(title, 1)], _head(wrist, rec), _pictures(wrist, rec, bends), _published(rec, bends),
        _rotations(bends), _axes(rec, bends), _contacts(rec, bends), _ligaments(rec, bends), _events(rec, bends),
        _notes(rec),
    ]  # fmt: skip
    write_blocks([block for part in parts for block in part], Path(path), overwrite=overwrite)
    return Path(path)


def _head(wrist: "Wrist", rec: "Recording") -> list[Block]:
    manifest = rec.manifest
    facts = [
        f"A {wrist.side} wrist of {len(wrist.bones)} bones and {len(wrist.ligaments)} ligaments",
        f"{len(rec['energy'])} poses; driven: {', '.join(manifest['driven'])}",
    ]
    facts += [f"pressed with {manifest['load']:g} N"] if manifest.get("load") else []
    fused = [" with ".join(group) for group in manifest["fused"]]
    facts += [f"fused: {'; '.join(fused)}"] if fused else []
    facts += [f"{key}: {', '.join(manifest[key])}" for key in ("fractured", "cut", "removed") if manifest.get(key)]
    warning = [Text(f"{len(rec.events)} events: poses in doubt, see below.", bad=True)] if rec.events else []
    return [Text("; ".join(facts) + "."), *warning]


def _pictures(wrist: "Wrist", rec: "Recording", bends: Bends) -> list[Block]:
    """Return the neutral wrist from the palm, and each extreme pose from where its turn is seen."""
    from motiform.form import dress, looks_of
    from motiform.image.camera import Camera
    from motiform.image.cast.raycast import render

    form, axes = dress(rec, looks_of(wrist)), wrist.axes
    middle = axes.center + 0.004 * axes.distal
    shown = []
    for name, sample in bends.samples.items():
        sideways = name in ("flexion", "extension")
        place = middle + 0.19 * (axes.radial if sideways else axes.palmar)
        camera = Camera(tuple(place), tuple(middle), up=tuple(axes.distal), fov=0.62)
        pixels = render(form, sample, camera=camera, size=_SIZE, ground=False)
        side = "from the thumb's side" if sideways else "from the palm"
        caption = f"{bends.caption(name)}, {side}"
        shown.append(Picture(png_of_pixels(pixels), f"bones in {name}", caption, wide=False))
    key = "Fibres of ligaments are pale where they are slack, yellow to red from 20 to 40 N of the whole ligament."
    return [Heading("Bones and ligaments"), Strip(shown), Text(key)]


def _published(rec: "Recording", bends: Bends) -> list[Block]:
    rows = published_rows(rec, bends)
    words = (
        "Published values are means of living or cadaver wrists, often at larger angles than here; one wrist may "
        "differ from them by a third. Shares are ratios of the angles about helical axes."
    )
    table = ReportTable(["quantity", "here", "published", "source"], rows)
    return [Heading("Beside published values"), table, Text(words)] if rows else []


def _rotations(bends: Bends) -> list[Block]:
    heads = ["flexion, ulnar deviation, pronation [°]", *map(bends.caption, bends.bent)]
    rows = [[bone, *(_listed(bends.turn(bone, sample), 1) for sample in bends.bent.values())] for bone in bends.bones]
    plot = Picture(rotation_plot(bends), "rotations", "Turn of each bone about the axis in which the hand is bent.")
    words = "Components of the rotation vector from the neutral pose, relative to the radius."
    return [Heading("Rotations"), plot, *_long(heads, rows), Text(words)]


def _axes(rec: "Recording", bends: Bends) -> list[Block]:
    from motiform.motion.bones import helical_axes

    heads = ["bone", "pose", "angle [°]", "direction", "shift [mm]", "place [mm]"]
    rows = []
    for bone in bends.bones:
        found = helical_axes(rec, bone)
        for name, i in bends.bent.items():
            if np.rad2deg(found.angle[i]) < 1.0:
                continue  # a turn below a degree has no axis worth the name
            place = 1e3 * bends.anatomical @ (found.point[i] - bends.center)
            cells = [_listed([np.rad2deg(found.angle[i])], 1), _listed(bends.turns @ found.direction[i], 2)]
            cells += [_listed([1e3 * found.shift[i]], 2), _listed(place, 1)]
            rows.append([bone, bends.caption(name), *cells])
    words = (
        "From the neutral pose, relative to the radius. Directions by flexion, ulnar deviation, pronation. Places: the "
        "point of the axis nearest to the centre of the head of the capitate, from there; distal, radial, palmar."
    )
    return [Heading("Helical axes"), *_long(heads, rows), Text(words)] if rows else []


def _contacts(rec: "Recording", bends: Bends) -> list[Block]:
    if "contact.force" not in rec:
        return []
    names = rec.manifest["labels"]["pair"]
    force, area, gap = (np.asarray(rec[f"contact.{key}"]) for key in ("force", "area", "gap"))
    touching = [n for n in np.argsort(-force.max(axis=0)) if force[:, n].max() > 0]
    heads = ["force [N], area [mm²]", *map(bends.caption, bends.bent), "least gap [mm]"]
    rows = [
        [names[n].replace("_", " – "), *(_pair(force[i, n], area[i, n]) for i in bends.bent.values()),
         _listed([1e3 * gap[:, n].min()], 2)]
        for n in touching
    ]  # fmt: skip
    plot = Picture(force_plot(bends, "contact.force", "pair", "contact force [N]"), "contact forces")
    words = "Areas are those under pressure. The hand carries no load: forces are those that balance the ligaments."
    return [Heading("Contacts"), plot, *_long(heads, rows), Text(words)]


def _pair(force: float, area: float) -> str:
    return f"{force:.1f}, {1e6 * area:.0f}" if force > 0 else "–"


def _ligaments(rec: "Recording", bends: Bends) -> list[Block]:
    if "ligament.tension" not in rec:
        return []
    names, tension = rec.manifest["labels"]["ligament"], np.asarray(rec["ligament.tension"])
    heads = ["tension [N]", *map(bends.caption, bends.bent), "largest"]
    order = [n for n in np.argsort(-tension.max(axis=0)) if tension[:, n].max() >= 0.05]
    rows = [
        [names[n].replace("_", " "), *(_listed([tension[i, n]], 1) for i in bends.bent.values()),
         _listed([tension[:, n].max()], 1)]
        for n in order
    ]  # fmt: skip
    plot = Picture(force_plot(bends, "ligament.tension", "ligament", "tension [N]"), "tensions")
    slack = f"{len(names) - len(order)} more are slack throughout."
    return [Heading("Ligaments"), plot, *_long(heads, rows), Text(slack)]


def _listed(values: Sequence[float] | np.ndarray, digits: int) -> str:
    """Return numbers with so many digits, none of them −0."""
    return ", ".join("–" if not np.isfinite(x) else f"{round(float(x), digits) + 0.0:.{digits}f}" for x in values)


def _long(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Block]:
    """Return a table; what is beyond a number of rows is folded."""
    rest = rows[_MOST:]
    return [ReportTable(heads, rows[:_MOST]), *([ReportTable(heads, rest, folded=f"{len(rest)} more")] if rest else [])]


def _events(rec: "Recording", bends: Bends) -> list[Block]:
    if not rec.events:
        return []
    rows = []
    for event in rec.events:
        detail = ", ".join(f"{key} {value}" for key, value in (event.detail or {}).items())
        rows.append([str(int(event.time)), _listed(np.rad2deg(bends.hand[int(event.time)]), 1), event.name, detail])
    return [Heading("Events"), *_long(["sample", "flexion, ulnar deviation [°]", "event", ""], rows)]


def _notes(rec: "Recording") -> list[Block]:
    manifest = rec.manifest
    lines = [*map(str, manifest["notes"]), f"cartilage: {manifest['cartilage']}"]
    lines += [
        f"{manifest['evaluations']} evaluations in {manifest['steps']} steps; motiform {manifest.get('version', '')}"
    ]
    return [Heading("Origin and notes"), *map(Text, lines)]
