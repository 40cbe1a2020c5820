"""The report of a wrist: one self-contained page with pictures, rotations beside published ones, axes, forces."""

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.image.report.pieces import image_tag, number, table_tag, write_page
from motiform.image.report.wrist_plots import force_plot, rotation_plot
from motiform.image.report.wrist_values import Bends, published_rows

if TYPE_CHECKING:
    from motiform.motion.bones import Wrist
    from motiform.record import Recording

__all__ = ["write_wrist_report"]

_SIZE = (320, 400)
_MOST = 16  # rows of the longest tables that are shown at once
_KEY = "Fibres of ligaments are pale where they are slack, yellow to red from 20 to 40 N of the whole ligament."


def write_wrist_report(
    wrist: "Wrist", rec: "Recording", path: str | os.PathLike[str], *, title: str = "wrist", overwrite: bool = False
) -> Path:
    """Write a page about a wrist at rest in several poses, and return its path.

    Parameters
    ----------
    rec : what `wrist.settle` gave.
    path : file to write (.html). It needs no other file and no network.
    """
    bends = Bends(rec)
    parts = [
        _head(wrist, rec), _pictures(wrist, rec, bends), _published(rec, bends), _rotations(rec, bends),
        _axes(rec, bends), _contacts(rec, bends), _ligaments(rec, bends), _events(rec, bends), _notes(wrist, rec),
    ]  # fmt: skip
    return write_page(title, parts, path, overwrite=overwrite)


def _head(wrist: "Wrist", rec: "Recording") -> str:
    told = rec.manifest
    facts = [
        f"A {escape(wrist.side)} wrist of {len(wrist.bones)} bones and {len(wrist.ligaments)} ligaments",
        f"{len(rec['energy'])} poses; driven: {escape(', '.join(told['driven']))}",
    ]
    fused = [" with ".join(group) for group in told["fused"]]
    facts += [f"fused: {escape('; '.join(fused))}"] if fused else []
    facts += [f"{escape(key)}: {escape(', '.join(told[key]))}" for key in ("cut", "removed") if told.get(key)]
    if rec.events:
        facts.append(f'<span class="bad">{len(rec.events)} poses in doubt, see events</span>')
    return f"<p>{'; '.join(facts)}.</p>"


def _pictures(wrist: "Wrist", rec: "Recording", bends: Bends) -> str:
    """Return the neutral wrist from the palm, and each extreme pose from the side towards which it does not turn."""
    from motiform.form import dress, looks_of
    from motiform.image.camera import Camera
    from motiform.image.cast.raycast import render

    form, axes = dress(rec, looks_of(wrist)), wrist.axes
    middle = axes.center + 0.004 * axes.distal
    shown = []
    for name, sample in bends.samples.items():
        view = axes.radial if name in ("flexion", "extension") else axes.palmar
        camera = Camera(tuple(middle + 0.19 * view), tuple(middle), up=tuple(axes.distal), fov=0.62)
        pixels = render(form, sample, camera=camera, size=_SIZE, ground=False)
        side = "from the thumb's side" if view is axes.radial else "from the palm"
        shown.append(image_tag(pixels, f"{bends.caption(name)}, {side}", f"bones in {name}"))
    return f"<h2>Bones and ligaments</h2><div class='strip'>{''.join(shown)}</div><p>{escape(_KEY)}</p>"


def _published(rec: "Recording", bends: Bends) -> str:
    rows = published_rows(rec, bends)
    if not rows:
        return ""
    words = (
        "Published values are means of living or cadaver wrists, often at larger angles than here; one wrist may "
        "differ from them by a third. Shares are ratios of the angles about helical axes."
    )
    cells = [[escape(cell) for cell in row] for row in rows]
    return (
        f"<h2>Beside published values</h2>{table_tag(['quantity', 'here', 'published', 'source'], cells)}<p>{words}</p>"
    )


def _rotations(rec: "Recording", bends: Bends) -> str:
    heads = ["bone", *(f"{bends.caption(name)}: flexion, ulnar dev., pronation [°]" for name in bends.bent)]
    rows = [
        [escape(bone), *(", ".join(number(x, 1) for x in bends.turn(bone, sample)) for sample in bends.bent.values())]
        for bone in bends.bones
    ]
    plot = image_tag(rotation_plot(bends), "Turn of each bone about the axis in which the hand is bent.", "rotations")
    note = "Components of the rotation vector from the neutral pose, relative to the radius."
    return f"<h2>Rotations</h2><div class=plot>{plot}</div>{_long(heads, rows)}<p>{note}</p>"


def _axes(rec: "Recording", bends: Bends) -> str:
    from motiform.motion.bones import helical_axes

    heads = ["bone", "pose", "angle [°]", "direction (flexion, ulnar dev., pronation)", "shift along it [mm]",
             "from the capitate's head (distal, radial, palmar) [mm]"]  # fmt: skip
    rows = []
    for bone in bends.bones:
        found = helical_axes(rec, bone)
        for name, i in bends.bent.items():
            if np.rad2deg(found.angle[i]) < 1.0:
                continue  # a turn below a degree has no axis worth the name
            place = bends.anatomical @ (found.point[i] - bends.center)
            along = ", ".join(number(x, 2) for x in bends.turns @ found.direction[i])
            cells = [number(np.rad2deg(found.angle[i]), 1), along, number(1e3 * found.shift[i], 2)]
            cells.append(", ".join(number(1e3 * x, 1) for x in place))
            rows.append([escape(bone), escape(bends.caption(name)), *cells])
    words = (
        "From the neutral pose, relative to the radius. The last column is the point of the axis nearest to the centre "
        "of the head of the capitate."
    )
    return f"<h2>Helical axes</h2>{_long(heads, rows)}<p>{words}</p>" if rows else ""


def _contacts(rec: "Recording", bends: Bends) -> str:
    if "contact.force" not in rec:
        return ""
    names = rec.manifest["labels"]["pair"]
    force, area, gap = (np.asarray(rec[f"contact.{key}"]) for key in ("force", "area", "gap"))
    touching = [n for n in np.argsort(-force.max(axis=0)) if force[:, n].max() > 0]
    heads = ["pair", *(f"{bends.caption(name)} [N, mm²]" for name in bends.bent), "least gap [mm]"]
    rows = [
        [escape(names[n].replace("_", " – ")), *(_pair(force[i, n], area[i, n]) for i in bends.bent.values()),
         number(1e3 * gap[:, n].min(), 2)]
        for n in touching
    ]  # fmt: skip
    plot = image_tag(force_plot(bends, "contact.force", "pair", "contact force [N]"), "", "contact forces")
    words = "Force and area under pressure. The hand carries no load: forces are those that ligaments leave."
    return f"<h2>Contacts</h2><div class=plot>{plot}</div>{_long(heads, rows)}<p>{words}</p>"


def _pair(force: float, area: float) -> str:
    return f"{force:.1f}, {1e6 * area:.0f}" if force > 0 else "–"


def _ligaments(rec: "Recording", bends: Bends) -> str:
    if "ligament.tension" not in rec:
        return ""
    names, tension = rec.manifest["labels"]["ligament"], np.asarray(rec["ligament.tension"])
    heads = ["ligament", *(f"{bends.caption(name)} [N]" for name in bends.bent), "largest [N]"]
    order = [n for n in np.argsort(-tension.max(axis=0)) if tension[:, n].max() >= 0.05]
    rows = [
        [escape(names[n].replace("_", " ")), *(number(tension[i, n], 1) for i in bends.bent.values()),
         number(tension[:, n].max(), 1)]
        for n in order
    ]  # fmt: skip
    plot = image_tag(force_plot(bends, "ligament.tension", "ligament", "tension [N]"), "", "tensions")
    slack = len(names) - len(order)
    return (
        f"<h2>Ligaments</h2><div class=plot>{plot}</div>{_long(heads, rows)}<p>{slack} more are slack throughout.</p>"
    )


def _long(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; what is beyond a number of rows is folded."""
    rest = rows[_MOST:]
    more = f"<details><summary>{len(rest)} more</summary>{table_tag(heads, rest)}</details>" if rest else ""
    return table_tag(heads, rows[:_MOST]) + more


def _events(rec: "Recording", bends: Bends) -> str:
    if not rec.events:
        return ""
    rows = []
    for event in rec.events:
        bent = ", ".join(f"{x:.1f}°" for x in np.rad2deg(bends.hand[int(event.time)]))
        detail = ", ".join(f"{key} {value}" for key, value in (event.detail or {}).items())
        rows.append([f"{int(event.time)}", bent, escape(event.name), escape(detail)])
    return f"<h2>Events</h2>{_long(['sample', 'flexion, ulnar deviation', 'event', ''], rows)}"


def _notes(wrist: "Wrist", rec: "Recording") -> str:
    told = rec.manifest
    items: list[Any] = [*told["notes"], f"motiform {told.get('version', '')}".strip()]
    items += [f"cartilage: {told['cartilage']}", f"{told['evaluations']} evaluations in {told['steps']} steps"]
    return f"<h2>Origin and notes</h2><ul>{''.join(f'<li>{escape(str(item))}</li>' for item in items)}</ul>"
