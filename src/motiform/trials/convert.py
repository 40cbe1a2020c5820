"""What is done to the markers of a trial before postures: gaps filled, frame changed, filtered.  [HuMAnS 9.6.4]

In this order, each by the function of `motiform.measure` of that name, whose bits it has.
"""

from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from motiform.base.errors import InputError, closest
from motiform.measure import change_frame, fill_gaps, low_pass
from motiform.measure.names import match_names
from motiform.motion.figures.human36_figure import Human36
from motiform.motion.tree import Figure, tags
from motiform.record import Recording
from motiform.trials.figure import make_figure

if TYPE_CHECKING:
    from motiform.trials.trial import TrialOptions

__all__ = ["FRAMES", "change_to_frame", "check_conversion", "fill_trial", "filter_trial"]

FRAMES = ("file", "model", "pose")
"""That of the file; mid-malleoli and mid-trochanters of the first samples on the vertical through the origin; that in
which the first samples are nearest to the zero position of the figure."""
_LANDMARKS = {
    "ankles": (("r_lateral_malleolus", "l_lateral_malleolus"),) * 2,
    "hips": (("r_trochanterion", "l_trochanterion"), ("r_trochanter", "l_trochanter")),
}
"""Tags and sites of the landmarks of the frame of a model, right and left."""
_OWN: dict[str, tuple[Any, tuple[str, ...]]] = {
    "fill": (fill_gaps, ("rec",)),
    "filter": (low_pass, ("rec", "names")),
    "frame": (change_frame, ("rec", "pose")),
}


def check_conversion(options: "TrialOptions") -> None:
    """Refuse options that the conversion does not have."""
    for name, (work, inner) in _OWN.items():
        known = [key for key in signature(work).parameters if key not in inner]
        for key in getattr(options, name) or {}:
            if key not in [*known, *(["to"] if name == "frame" else [])]:
                remedy = closest(key, known)
                raise InputError("no such option", where=name, got=key, allowed=", ".join(known), remedy=remedy)
    for what in ("ankles", "hips"):
        _two_names(what, (options.frame or {}).get(what, "right,left"))
    to = (options.frame or {}).get("to", "model")
    if to not in FRAMES:
        raise InputError("no such frame", where="--frame", got=to, allowed=", ".join(FRAMES))
    cutoff = (options.filter or {}).get("cutoff", 8.0)
    if not (isinstance(cutoff, (int, float)) and 0.0 < cutoff < float("inf")):
        raise InputError("a cutoff must be above 0", where="--filter", got=cutoff, allowed="a frequency [Hz]")


def fill_trial(markers: Recording, options: "TrialOptions") -> Recording:
    """Return the markers with gaps filled, which count as seen unless the options say otherwise."""
    return markers if options.fill is None else fill_gaps(markers, **{"count_as_seen": True, **options.fill})


def change_to_frame(markers: Recording, options: "TrialOptions", subject: str | None) -> Recording:
    """Return the markers in the frame that is asked for."""
    given = dict(options.frame or {"to": "file"})
    to = given.pop("to", "model")
    correspondence = options.reconstruct.get("correspondence")
    if to == "file":
        return markers
    figure = make_figure(options.figure, subject)
    if to == "pose":
        x = tags(figure, figure.neutral())
        found = match_names(markers, figure.tag_names, correspondence)
        pose = {name: x[k] for k, name in enumerate(found.markers) if name is not None}
        return change_frame(markers, pose=pose, **given)
    given |= {what: _two_names(what, given[what]) for what in ("ankles", "hips") if what in given}
    return change_frame(markers, **{**_landmarks(markers, figure, correspondence), **given})


def filter_trial(markers: Recording, options: "TrialOptions") -> Recording:
    """Return the markers low-pass filtered."""
    return markers if options.filter is None else low_pass(markers, **options.filter)


def _two_names(what: str, given: Any) -> list[str]:
    """Return the names of two markers, also from "RANK,LANK"."""
    names = [part.strip() for part in given.strip("[]").split(",")] if isinstance(given, str) else given
    if not (isinstance(names, list | tuple) and len(names) == 2 and all(isinstance(n, str) and n for n in names)):
        raise InputError(f"{what} must be two markers", where="frame", got=given, allowed=f"frame.{what}=RIGHT,LEFT")
    return list(names)


def _landmarks(markers: Recording, figure: Figure, correspondence: Any) -> dict[str, list[str]]:
    """Return the names of the markers at ankles and hips, where tags or sites of the figure tell them."""
    sites: Mapping[str, Any] = figure.recipe.markers if isinstance(figure, Human36) else {}
    found = match_names(markers, figure.tag_names, correspondence)
    marked = {tag: name for tag, name in zip(found.tags, found.markers, strict=True) if name is not None}
    at = {site: marked[tag] for tag, site in sites.items() if isinstance(site, str) and tag in marked}
    known = {}
    for what, (own_tags, own_sites) in _LANDMARKS.items():
        names = [marked.get(tag) or at.get(site) for tag, site in zip(own_tags, own_sites, strict=True)]
        if all(names):
            known[what] = [str(name) for name in names]
    return known
