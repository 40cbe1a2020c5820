"""How markers are fitted, and what is assumed where a figure is calibrated by them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.measure.names import Correspondence
from motiform.motion.postures.gait.angles import check_convention
from motiform.motion.run import check_number

__all__ = ["TAG_SD", "Estimator", "Fit", "Priors", "check_count", "check_spread"]

TAG_SD = 0.01  # [m] how well a landmark is found and a marker put on it


@dataclass(frozen=True, eq=False)
class Fit:
    """How a figure is fitted to markers.

    Attributes
    ----------
    correspondence : which marker is which tag, where names differ: {tag: marker}, a CSV file, or HuMAnS's vector.
    q0 : posture near that of the best seen sample, where it is known: nothing else is looked for then.
    weights : of tags, {tag: weight} or one for each; default 1.
    limits : whether joints stay within their limits.
    smooth : usual size of accelerations [rad/s², m/s²], for postures fitted over the whole trial at once (50 is that of
        quick limbs); None: each sample alone.
    tasks : of coordinates, {coordinate: (value, weight)}: weight × (q − value)² is added to the sum of squares, as
        OpenSim's coordinate tasks are [rad, m; weights in m²/rad²].
    prior : posture to look from, (nq,); default: the neutral posture.
    robust : distance at which a marker begins to be taken for wrong [m]; None: least squares.
    swaps : whether markers that have exchanged their names for a while are corrected, and markers that are elsewhere
        for a while left out: where they jump there or back. False: all are taken as they are.
    interpolate : whether coordinates that the markers of a sample do not determine are taken from the samples before
        and after it; the channel "interpolated" says where. False: each sample stays as its own markers have it, only
        those without any lie between their neighbours.
    accuracy : step of the tags at which a sample has converged [m]; steps within the rounding of markers and tags, and
        within 10⁻⁴ of the distance between them, are small enough, too.
    threshold : distance of tags from markers (root of the mean square) at which a sample has converged, whatever its
        last step [m]; HuMAnS's `seuil`. None: that within rounding.
    max_iterations : of one search of a sample, after which it has not converged; HuMAnS's `nb_iter`.
    angles : convention of clinical angles and moments: "isb", or "plug-in-gait".

    """

    correspondence: Correspondence = None
    q0: ArrayLike | None = None
    weights: Mapping[str, float] | ArrayLike | None = None
    limits: bool = True
    smooth: float | None = None
    tasks: Mapping[str, tuple[float, float]] | None = None
    prior: ArrayLike | None = None
    robust: float | None = None
    swaps: bool = True
    interpolate: bool = True
    accuracy: float = 1e-13
    threshold: float | None = None
    max_iterations: int = 200
    angles: str = "isb"

    def __post_init__(self) -> None:
        check_count("max_iterations", self.max_iterations, "reconstruct")
        for name in ("smooth", "robust", "accuracy", "threshold"):
            if getattr(self, name) is not None:
                check_number(getattr(self, name), name, "reconstruct", above=0.0)
        check_convention(self.angles)


@dataclass(frozen=True, eq=False)
class Priors:
    """What calibration assumes before it sees markers: standard deviations.

    Attributes
    ----------
    length_sd, size_sd : relative spread of each length on its own, and of all together.
    tag_sd : [m] spread of each coordinate of a tag, or {tag: spread}; 0.01 where a tag is not named.
    marker_sd : [m] of each coordinate of a marker; None: from the residuals.
    posture_sd : [rad or m] spread of joint coordinates about those of the figure given in the same samples: keeps
        coordinates that the markers do not determine.
    neutral_sd : {coordinate: spread} [rad or m] of coordinates that lie about the neutral posture instead, such as
        those of feet that two markers hardly determine.
    fixed_tags : tags that may not shift.

    """

    length_sd: float = 0.05
    size_sd: float = 0.1
    tag_sd: float | Mapping[str, float] = TAG_SD
    marker_sd: float | None = 0.01
    posture_sd: float = 1.0
    neutral_sd: Mapping[str, float] | None = None
    fixed_tags: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_spread("length_sd", self.length_sd)
        check_spread("posture_sd", self.posture_sd)
        for value in self.tag_sd.values() if isinstance(self.tag_sd, Mapping) else [self.tag_sd]:
            check_spread("tag_sd", value)
        check_spread("size_sd", self.size_sd, zero=True)
        check_spread("marker_sd", 1.0 if self.marker_sd is None else self.marker_sd)


@dataclass(frozen=True, eq=False)
class Estimator:
    """How calibration weighs the distances of markers from their tags.

    Attributes
    ----------
    weights : of tags, {name: weight} or (tags,).
    robust, robust_scale : "huber" or "geman-mcclure" makes markers farther than that [m] from their tag count less, so
        that no single sample moves a tag; None: least squares.
    max_iterations : after which the search ends.

    """

    weights: Mapping[str, float] | ArrayLike | None = None
    robust: str | None = "huber"
    robust_scale: float = 0.03
    max_iterations: int = 60

    def __post_init__(self) -> None:
        if self.robust not in (None, "huber", "geman-mcclure"):
            raise InputError(
                "robust must be a known loss", where="calibrate", got=repr(self.robust),
                allowed="None, 'huber', 'geman-mcclure'",
            )  # fmt: skip
        check_spread("robust_scale", self.robust_scale)
        check_count("max_iterations", self.max_iterations)


def check_count(name: str, value: Any, where: str = "calibrate") -> None:
    """Refuse what is not a positive whole number."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        allowed = "a whole number, 1 or more"
        raise InputError(f"{name} must be a positive whole number", where=where, got=repr(value), allowed=allowed)


def check_spread(name: str, value: Any, *, zero: bool = False) -> None:
    """Refuse what is no spread: a finite number above zero (or zero)."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number) or number < 0 or (number == 0 and not zero):
        allowed = "a finite number, zero or more" if zero else "a finite number above zero"
        raise InputError(
            f"{name} must be finite and {'not negative' if zero else 'positive'}", where="calibrate", got=repr(value),
            allowed=allowed,
        )  # fmt: skip
