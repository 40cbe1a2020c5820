"""What a trial is done with without options: its marker set, and the size and the mass of its subject."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.measure import marker_names
from motiform.measure.names import match_names
from motiform.motion.figures.human36_figure import Human36
from motiform.motion.figures.human36_table import RANGES
from motiform.motion.figures.keypoint_sets import KEYPOINT_SD, are_keypoints, keypoint_tasks, loose_coordinates
from motiform.motion.figures.marker_sets import find_marker_set, marks_legs, soft_markers
from motiform.motion.figures.site_names import sites_of_names
from motiform.motion.postures import efforts
from motiform.motion.tree import Figure, tags
from motiform.record import Recording
from motiform.trials.figure import make_figure, upright
from motiform.trials.inputs import read_trial

if TYPE_CHECKING:
    from motiform.trials.trial import TrialOptions

__all__ = ["UnknownMarkersError", "find_mass", "find_size", "settle_defaults", "settle_mass"]

_SHARE = 0.5  # of the markers of a file that a set must have to be recognised, where it does not mark the legs
_LONG, _STEADY = (
    0.15,
    0.03,
)  # [m] distances of markers that determine a size, and their standard deviation over the mean
_SAMPLES, _FEWEST = 60, 3  # samples that are looked at, and distances that determine a size
_ENOUGH, _ROLL = 3, 5e-4  # markers that determine how a foot rolls; [m²/rad²]: 5 mm of markers for 13° of rolling
_WIDER = np.deg2rad(15.0)  # beyond passive ranges: feet that carry weight go there, and zeros of angles err by some
_FRAMES = (40, 80, 25)  # samples by which a figure is calibrated where nobody asks for it: one of 25, at least, at most
_SIZES = (0.3, 1.5)  # of the mean body: a child's, and beyond a giant's
_FLAT = 1e-3  # [m] thinner than any body
_CARRIED, _MASSES = 0.2, (8.0, 300.0)  # [s] on plates alone that determine a mass; [kg] of somebody who can walk
_AGREE = 0.2  # of the mass: half of its samples lie so near to one another


class UnknownMarkersError(InputError):
    """The names of a file are of no marker set."""

    names: tuple[str, ...] = ()


def settle_defaults(
    options: "TrialOptions", markers: Recording, subject: str | None
) -> tuple["TrialOptions", dict[str, Any]]:
    """Return the options of one trial with what its file tells, and that as a table for the page.

    Of Human36 alone: other figures have tags and sizes of their own.
    """
    spec, assumed = options.figure, dict[str, Any]()
    if spec.figure != "human36":
        return options, assumed
    known = {**(spec.subjects[subject] if subject is not None else {}), **spec.measures, **spec.options}
    found = {name: value for name, value in markers.manifest.get("body", {}).items() if name not in known}
    assumed |= {name: ("the file", value) for name, value in found.items()}
    if "markers" not in known and not options.reconstruct.get("correspondence"):
        name = _recognised(markers, make_figure(spec, subject))
        if name is not None:
            found["markers"] = name[0]
            words = name[0] if isinstance(name[0], str) else "sites by names"
            assumed["markers"] = (f"recognised by {name[1]} of {len(marker_names(markers))} names", words)
    marked = "markers" in known or "markers" in found
    if marked and "limits" not in known:
        # a foot with two markers turns over without them
        found["limits"] = {name: (np.deg2rad(low) - _WIDER, np.deg2rad(high) + _WIDER)
                           for name, (low, high) in RANGES.items()}  # fmt: skip
        assumed["limits"] = ("Human36 has none of its own", "anatomical ranges and 15° more")
    settled = replace(options, figure=replace(spec, measures={**found, **spec.measures}))
    if marked and options.calibrate is None and options.static is None:
        least, most, every = _FRAMES
        frames = min(max(markers.count("markers") // every, least), most)
        settled = replace(settled, calibrate=True, calibration={"frames": frames, **options.calibration})
        assumed["calibrate"] = ("no static trial is given", "the trial's own markers")
    figure = make_figure(settled.figure, subject)
    video = marked and are_keypoints(figure.recipe.markers) if isinstance(figure, Human36) else False
    if video:
        settled = replace(settled, calibration=_of_keypoints(figure.coordinates) | settled.calibration)
        sure = markers.manifest.get("confidence") or {}
        if sure and "weights" not in options.reconstruct:
            weights = {name: round(value, 3) for name, value in sure.items() if name in figure.tag_names}
            settled = replace(settled, reconstruct=settled.reconstruct | {"weights": weights})
            assumed["weights"] = ("the file tells them", "confidence of keypoints")
        _check_space(markers)
        assumed["keypoints"] = ("their names are those of video", "centres of joints, toes and the face")
    if settled.figure.measures.get("markers") == "opencap":  # as sure as the keypoints that they are made of
        settled = replace(settled, calibration={"marker_sd": KEYPOINT_SD} | settled.calibration)
    if marked and not {"height", "lengths"} & (known.keys() | found.keys()):
        made = make_figure(settled.figure, subject)
        still = markers if options.static is None else read_trial(options.static, options)
        size = find_size(made, upright(made, still), options.reconstruct.get("correspondence"))
        if size is not None and isinstance(made, Human36):
            measures = settled.figure.measures | {"height": round(size * made.height, 2)}
            settled = replace(settled, figure=replace(settled.figure, measures=measures))
            assumed["height"] = ("distances of markers", measures["height"])
    if marked and "tasks" not in options.reconstruct and options.ik is None:
        tasks = _loose_feet(make_figure(settled.figure, subject), markers, options.reconstruct.get("correspondence"))
        why = "two markers on a foot hardly determine how it rolls"
        if video:
            tasks, why = keypoint_tasks(figure.coordinates), "centres of joints hardly determine these coordinates"
        if tasks:
            settled = replace(settled, reconstruct=settled.reconstruct | {"tasks": tasks})
            assumed["tasks"] = (why, ", ".join(tasks))
    return settled, assumed


def _recognised(markers: Recording, figure: Figure) -> tuple[str | dict[str, str], int] | None:
    """Return the marker set of a file and how many of its markers it has; None where the figure's tags are better.

    Names that are of no set may say their sites themselves (`R_ASIS`).
    """
    names = marker_names(markers)
    best, count = find_marker_set(names)
    try:
        own = sum(name is not None for name in match_names(markers, figure.tag_names).markers)
    except InputError:
        own = 0
    if own >= max(count, 1):
        return None
    if count < _SHARE * len(names) and not marks_legs(names, best):
        sites = sites_of_names(names)
        if len(sites) > count and (len(sites) + own >= _SHARE * len(names) or marks_legs(names, sites)):
            return sites, len(sites)
        if own:
            return None
        unknown = UnknownMarkersError(
            "the marker set is not known", where=str(markers.manifest.get("source") or "markers"),
            got=f"{', '.join(names[:8])}{', …' if len(names) > 8 else ''}: {count} of {len(names)} are of {best}",
            remedy="Give --markers CSV with the columns marker and site (human36(markers={marker: site}) in Python), "
            "or --correspondence, or another --figure.",
        )  # fmt: skip
        unknown.names = tuple(names)
        raise unknown
    return best, count


def _of_keypoints(coordinates: tuple[str, ...]) -> dict[str, Any]:
    """Return options of `calibrate` for keypoints: they are less sure than markers, and do not tell all."""
    return {"marker_sd": KEYPOINT_SD, "symmetric": True, "neutral_sd": loose_coordinates(coordinates)}


def _check_space(markers: Recording) -> None:
    """Refuse keypoints that all lie in one plane of the axes: those of one camera."""
    points = np.asarray(markers["markers"])
    flat = [axis for k, axis in enumerate("xyz") if np.nanmax(points[..., k]) - np.nanmin(points[..., k]) < _FLAT]
    if flat:
        raise InputError(
            "keypoints must be in space", where=str(markers.manifest.get("source") or "markers"),
            got=f"one {flat[0]} for all",
            remedy="Pictures of one camera tell no posture in space: film with two calibrated cameras or more, and "
            "triangulate (Pose2Sim, OpenCap and Anipose do).",
        )  # fmt: skip


def _loose_feet(figure: Figure, markers: Recording, correspondence: Any) -> dict[str, tuple[float, float]]:
    """Return tasks that keep feet with fewer than three markers from rolling, {coordinate: (value, weight)}."""
    used = match_names(markers, figure.tag_names, correspondence).indices >= 0
    own = [tag.segment for tag, marked in zip(figure.tags, used, strict=True) if marked]
    sides = [side for side in ("right", "left") if 0 < own.count(f"{side}_foot") < _ENOUGH]
    return {f"{side}_ankle_eversion": (0.0, _ROLL) for side in sides}


def find_size(figure: Figure, markers: Recording, correspondence: Any = None) -> float | None:
    """Return the size of the subject over that of the figure, None where too few markers determine it.

    The median over pairs of tags on one segment or on neighbours whose markers keep their distance, both on bones.
    """
    matching = match_names(markers, figure.tag_names, correspondence)
    soft = soft_markers(figure.recipe.markers) if isinstance(figure, Human36) else set()
    own = [k for k, place in enumerate(matching.indices) if place >= 0 and figure.tag_names[k] not in soft]
    points = np.asarray(markers["markers"])[:, matching.indices[own]]
    points = points[np.unique(np.linspace(0, len(points) - 1, min(len(points), _SAMPLES)).round().astype(int))]
    at = np.array([figure.index(figure.tags[k].segment) for k in own])
    over = np.array([figure.parent_index(int(n)) for n in at])
    x = tags(figure, figure.neutral())[own]
    ratios = []
    for i, j in zip(*np.triu_indices(len(own), 1), strict=True):
        if at[i] != at[j] and over[i] != at[j] and over[j] != at[i]:
            continue
        model = float(np.linalg.norm(x[i] - x[j]))
        far = np.linalg.norm(points[:, i] - points[:, j], axis=-1)
        far = far[np.isfinite(far)]
        if model > _LONG and len(far) and far.std() < _STEADY * far.mean():
            ratios.append(float(np.median(far)) / model)
    size = float(np.median(ratios)) if len(ratios) >= _FEWEST else np.nan
    return size if _SIZES[0] < size < _SIZES[1] else None


# ---------------------------------------------------------------- mass
def settle_mass(
    options: "TrialOptions", subject: str | None, figure: Figure, rec: Recording
) -> tuple[float | None, list[str]]:
    """Return the mass of a Human36 that is not given, by its plates [kg], and a note where they do not determine it."""
    spec = options.figure
    known = {*spec.measures, *spec.options, *(spec.subjects[subject] if subject is not None else ())}
    if spec.figure != "human36" or "effort.known" not in rec or known & {"mass", "masses"}:
        return None, []
    mass = find_mass(figure, rec)
    words = f"the mass is not given: efforts are those of a mean body of {figure.mass:.0f} kg (say --mass)"
    return mass, [words] if mass is None else []


def find_mass(figure: Figure, rec: Recording) -> float | None:
    """Return the mass [kg] with which the body's motion takes the force of the plates; None where they do not say it.

    What is left at the root of a body of mass m₀ is m₀ (a + g) − F, without plates m₀ (a + g). Their sums along the
    vertical, over the samples in which all feet are in the air or on usable plates, give m / m₀ = Σ F / Σ m₀ (a + g),
    in which a vanishes over whole strides; where the ratios of samples with half the weight or more agree.
    """
    known = np.asarray(rec["effort.known"]).astype(bool).all(1)
    times, left = rec.time("q"), np.asarray(rec["residual"])[:, 3:]
    q, v, a = (np.asarray(rec[name]) for name in ("q", "v", "a"))
    up = -np.asarray(figure.gravity) / np.linalg.norm(figure.gravity)
    needed = efforts(figure, times, q, v, a).residual[:, 3:] @ up
    weight = figure.mass * float(np.linalg.norm(figure.gravity))
    force = needed - left @ up
    known &= np.isfinite(force) & np.isfinite(needed)
    heavy = known & (np.nan_to_num(needed) > 0.5 * weight)
    if heavy.sum() < 2 or heavy.sum() * float(np.median(np.diff(times))) < _CARRIED:
        return None
    low, middle, high = np.percentile(force[heavy] / needed[heavy], (25, 50, 75))
    mass = figure.mass * float(force[known].sum() / needed[known].sum())
    return round(mass, 1) if _MASSES[0] < mass < _MASSES[1] and high - low < _AGREE * middle else None
