"""Set-up files of OpenSim's ScaleTool: a figure stretched by distances of markers, or by given factors."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError
from motiform.base.files import reads_file
from motiform.measure.changes import check_markers, marker_names
from motiform.measure.frames import turn
from motiform.motion.postures.calibration.scale import scale_figure
from motiform.motion.postures.opensim.ik import beside, read_tasks, task_options
from motiform.motion.tree import tags
from motiform.motion.tree.algorithms.kinematics import forward_kinematics
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.read.osim.elements import Node, read_document
from motiform.record.files import AnyPath, as_path
from motiform.record.recording import Recording

__all__ = ["Measurement", "ScaleSetup", "read_scale_setup", "scale_by_setup", "setup_factors"]

_MEASURED, _MANUAL = "measurements", "manualScale"


@dataclass(frozen=True)
class Measurement:
    """Distances of markers that tell the size of some segments."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    segments: tuple[tuple[str, str], ...]
    """Segment, and the axes along which it is stretched: "XYZ", "Y", …"""


@dataclass(frozen=True)
class ScaleSetup:
    """What a scale set-up asks for."""

    measurements: tuple[Measurement, ...] = ()
    factors: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    """Given factors along x, y, z of segments."""
    order: tuple[str, ...] = (_MEASURED, _MANUAL)
    """Which of the two are applied; where both say something the later holds."""
    mass: float | None = None
    """[kg]"""
    proportions: bool = True
    """Whether segments keep their parts of the mass."""
    model: Path | None = None
    marker_set: Path | None = None
    static: Path | None = None
    times: tuple[float, float] | None = None
    """[s] Of the standing trial, for the distances."""
    placed: bool = False
    """Whether tags are moved to where the markers are, in the posture that fits best."""
    weights: dict[str, float] = field(default_factory=dict)
    coordinates: dict[str, tuple[float | None, float]] = field(default_factory=dict)
    placing_times: tuple[float, float] | None = None
    """[s] Of the standing trial, for the posture in which tags are moved."""
    fixed: frozenset[str] = frozenset()
    """Markers that the model, or its marker set, states not to move."""


@reads_file("a setup of OpenSim's scale tool")
def read_scale_setup(path: AnyPath) -> ScaleSetup:
    """Read a set-up of OpenSim's ScaleTool."""
    place = as_path(path)
    tool = read_document(place, ("ScaleTool",))
    empty = Node("none", {}, str(place), 0)
    maker, scaler, placer = (tool.field(tag) or empty for tag in ("GenericModelMaker", "ModelScaler", "MarkerPlacer"))
    on = scaler is not empty and scaler.flag("apply", True)
    mass = tool.scalar("mass", -1.0)
    weights, coordinates = read_tasks(placer.inside("IKTaskSet"))
    return ScaleSetup(
        tuple(_measurement(n) for n in scaler.inside("MeasurementSet") if n.flag("apply", True)) if on else (),
        _manual(scaler) if on else {}, tuple(scaler.value("scaling_order", "measurements manualScale").split()),
        mass if mass > 0 else None, scaler.flag("preserve_mass_distribution", False),
        beside(place, maker.value("model_file")), beside(place, maker.value("marker_set_file")),
        beside(place, scaler.value("marker_file") or placer.value("marker_file")),
        _times(scaler), placer is not empty and placer.flag("apply", True), weights, coordinates, _times(placer),
        _fixed(beside(place, maker.value("model_file"))) | _fixed(beside(place, maker.value("marker_set_file"))),
    )  # fmt: skip


def _times(node: Node) -> tuple[float, float] | None:
    """Return first and last time [s], None where they say nothing."""
    times = node.vector("time_range", 2, infinite=True) if node.value("time_range") else None
    return None if times is None or not times[1] >= times[0] or times[1] < 0 else (float(times[0]), float(times[1]))


def _fixed(path: Path | None) -> frozenset[str]:
    """Return the markers of a model or a marker set that stay where they are."""
    if path is None or not path.is_file():
        return frozenset()
    content = read_document(path, ("Model", "MarkerSet"))
    nodes = content.objects if content.tag == "MarkerSet" else content.inside("MarkerSet")
    return frozenset(node.name for node in nodes if node.tag == "Marker" and node.flag("fixed", False))


def _measurement(node: Node) -> Measurement:
    pairs = []
    for pair in node.inside("MarkerPairSet"):
        names = pair.value("markers").split()
        if len(names) != 2:
            raise pair.error("a pair must have two markers", got=" ".join(names))
        pairs.append((names[0], names[1]))
    segments = tuple(
        (scale.named(), scale.value("axes", "X Y Z").replace(" ", "").upper()) for scale in node.inside("BodyScaleSet")
    )
    return Measurement(node.name, tuple(pairs), segments)


def _manual(scaler: Node) -> dict[str, tuple[float, float, float]]:
    found = {}
    for node in scaler.inside("ScaleSet"):
        if node.flag("apply", True):
            x, y, z = node.vector("scales", 3).tolist()
            found[node.value("segment") or node.named()] = (x, y, z)
    return found


def scale_by_setup(figure: Figure, setup: ScaleSetup, static: Recording | None = None) -> Figure:
    """Return the figure stretched, given its mass, and its tags moved, as a scale set-up says.

    The factor of a measurement is the mean over its pairs of the distance of the markers, averaged over the times of
    the set-up, over that of the tags in the neutral posture. ``static`` is the standing trial, y up or any other that
    its manifest states; it is needed for measurements and for moving tags. Segments that the figure does not have are
    left out and noted, as OpenSim does.
    """
    factors, absent = setup_factors(figure, setup, static)
    if absent:
        note = f"scale set-up: the figure has no segments {', '.join(absent)}"
        figure = figure.replace(notes=(*figure.notes, note))
    found = scale_figure(figure, factors, mass=setup.mass, by="proportions" if setup.proportions else "volume")
    return _placed(found, setup, _upright(figure, static)) if setup.placed and static is not None else found


def _upright(figure: Figure, static: Recording) -> Recording:
    up = static.manifest.get("up")
    stands = np.argmax(np.abs(figure.gravity)) == 1
    return turn(static, up=up) if up not in (None, "y") and stands else static


def setup_factors(
    figure: Figure, setup: ScaleSetup, static: Recording | None = None
) -> tuple[dict[str, Array], list[str]]:
    """Return the factors of a figure's segments along x, y, z by a scale set-up, and segments that it does not have."""
    if static is None and (setup.placed or (setup.measurements and _MEASURED in setup.order)):
        raise InputError("a scale set-up with measurements needs a standing trial", where="scale_by_setup")
    static = None if static is None else _upright(figure, static)
    factors: dict[str, Array] = {}
    for kind in setup.order:
        if kind == _MANUAL:
            factors |= {name: np.array(three) for name, three in setup.factors.items()}
        elif kind == _MEASURED and static is not None:
            _measure(figure, setup, static, factors)
    absent = [name for name in factors if name not in figure.names]  # set-ups are made for families of models
    return {name: three for name, three in factors.items() if name in figure.names}, absent


def _measure(figure: Figure, setup: ScaleSetup, static: Recording, factors: dict[str, Array]) -> None:
    """Put the factors of the measurements among those known, in place."""
    names, points, times = marker_names(static), check_markers(static), static.time("markers")
    inside = np.ones(len(times), bool) if setup.times is None else (times >= setup.times[0]) & (times <= setup.times[1])
    own = tags(figure, figure.neutral())
    for measurement in setup.measurements:
        ratios = []
        for pair in measurement.pairs:
            missing = [name for name in pair if name not in names or name not in figure.tag_names]
            if missing:
                raise InputError(
                    "the markers of a measurement must be in the trial and in the figure",
                    where=f"measurement {measurement.name!r}", got=", ".join(missing), allowed=", ".join(names[:20]),
                )  # fmt: skip
            a, b = (points[inside][:, names.index(name)] for name in pair)
            far = float(np.nanmean(np.linalg.norm(a - b, axis=-1)))
            x, y = (own[figure.tag_names.index(name)] for name in pair)
            ratios.append(far / float(np.linalg.norm(x - y)))
        if not ratios or not np.isfinite(ratios).all():
            where = f"measurement {measurement.name!r}"
            raise InputError("a measurement must have pairs that are seen", where=where, got=ratios)
        for segment, axes in measurement.segments:
            own_factors = factors.setdefault(segment, np.ones(3))
            own_factors[["XYZ".index(letter) for letter in axes]] = float(np.mean(ratios))


def _placed(figure: Figure, setup: ScaleSetup, static: Recording) -> Figure:
    """Return the figure with its tags where the mean markers are, in the posture that fits them best."""
    from motiform.motion.postures.fit_trial import fit_markers, observe_fit
    from motiform.motion.postures.settings import Fit

    times = static.time("markers")
    first, last = setup.placing_times or (float(times[0]), float(times[-1]))
    still = static.slice(max(first, float(times[0])), max(min(last, float(times[-1])), float(times[0])))
    options = task_options(figure, setup.weights, setup.coordinates)
    fitted = fit_markers(figure, still, Fit(swaps=False, **options))
    rec = observe_fit(fitted, figure, dynamics=False, cutoff=None)
    R, p = forward_kinematics(figure, np.asarray(rec["q"]))
    moved = {}
    for k, tag in enumerate(figure.tags):
        n = figure.index(tag.segment)
        local = np.einsum("tji,tj->ti", R[:, n], rec["markers"][:, k] - p[:, n])
        if np.isfinite(local).any() and tag.name not in setup.fixed:
            x, y, z = np.nanmean(local, axis=0).tolist()
            moved[tag.name] = replace(tag, point=(x, y, z))
    return figure.replace(tags=tuple(moved.get(tag.name, tag) for tag in figure.tags))
