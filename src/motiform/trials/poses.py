"""Trials of orientations and poses: a figure with tags for them, and their markers."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.motion.figures.human36_figure import Human36
from motiform.motion.figures.human36_table import RANGES
from motiform.motion.postures.poses import pose_markers
from motiform.motion.tree import Figure
from motiform.record import Recording
from motiform.trials.figure import make_figure

if TYPE_CHECKING:
    from motiform.trials.trial import TrialOptions

__all__ = ["settle_poses", "with_limits"]

_WIDER = np.deg2rad(15.0)  # zeros of angles err by what the subject differs from standing straight


def settle_poses(
    options: "TrialOptions", rec: Recording, subject: str | None
) -> tuple["TrialOptions", Figure, Recording, dict[str, Any]]:
    """Return the options of one trial, its figure, the markers of its poses, and what was assumed."""
    from motiform.trials.inputs import read_trial

    figure = with_limits(make_figure(options.figure, subject))
    static = None if options.static is None else read_trial(options.static, options)
    made, markers, assumed = pose_markers(figure, rec, static=static, heading=options.read.get("heading"))
    return replace(options, static=None, calibrate=False), made, markers, assumed


def with_limits(figure: Figure) -> Figure:
    """Return a Human36 without limits of its own with the anatomical ranges and 15° more; another as it is."""
    if not isinstance(figure, Human36) or figure.recipe.limits:
        return figure
    wider = {name: (np.deg2rad(low) - _WIDER, np.deg2rad(high) + _WIDER) for name, (low, high) in RANGES.items()}
    return figure.replace(limits=wider)
