"""A Human36 for the markers of a file, where it has none of their names: what the command does, for Python."""

from dataclasses import replace
from typing import Any

from motiform.base.progress import Progress
from motiform.measure.changes import check_has_markers
from motiform.motion.figures.human36_figure import Human36
from motiform.motion.postures.settings import Fit
from motiform.motion.tree import Figure
from motiform.record import Recording
from motiform.trials.defaults import settle_defaults
from motiform.trials.figure import FigureSpec, calibrated

__all__ = ["recognise"]


def recognise(
    figure: Figure, markers: Recording, fit: Fit, progress: Progress | None = None
) -> tuple[Figure, Fit, dict[str, Any]]:
    """Return the figure with the marker set of a file, calibrated by it, how it is fitted, and what was assumed.

    Unchanged are a figure that is no Human36 or has markers of its own, and one whose tags the markers name.
    """
    from motiform.trials.trial import TrialOptions

    check_has_markers(markers)
    if not isinstance(figure, Human36) or figure.recipe.markers or fit.correspondence is not None:
        return figure, fit, {}
    recipe = figure.recipe
    given = {name: getattr(recipe, name) for name in ("height", "mass", "lengths", "limits") if getattr(recipe, name)}
    own: dict[str, Any] = {"tasks": fit.tasks} if fit.tasks is not None else {}
    options, assumed = settle_defaults(TrialOptions(FigureSpec(measures=given), reconstruct=own), markers, None)
    if "markers" not in assumed:
        return figure, fit, {}
    found = {name: value for name, value in options.figure.measures.items() if name not in given}
    chosen: Figure = figure.replace(**found)
    if options.calibrate:
        chosen = calibrated(
            chosen, markers, None, correspondence=None, weights=fit.weights, options=dict(options.calibration),
            progress=progress,
        ).figure  # fmt: skip
    weights = fit.weights if fit.weights is not None else options.reconstruct.get("weights")
    return chosen, replace(fit, tasks=options.reconstruct.get("tasks"), weights=weights), assumed
