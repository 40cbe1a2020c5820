"""Global checks of a scene: unique and known names, existing channels."""

from collections.abc import Sequence
from typing import Any

from motiform.base.errors import InputError, SceneError, closest
from motiform.motion.actuation.balance import BALANCE_QUANTITIES
from motiform.motion.actuation.motors import MOTOR_QUANTITIES
from motiform.motion.actuation.muscles.acting import MUSCLE_QUANTITIES
from motiform.motion.actuation.pushes import PUSH_CHANNELS
from motiform.motion.actuation.stimulation.muscles import STIMULATION_QUANTITIES
from motiform.motion.actuation.support import SUPPORT_QUANTITIES
from motiform.motion.actuation.walking import WALKING_QUANTITIES
from motiform.motion.bodies.observe import BODY_CHANNELS, METER_CHANNELS
from motiform.motion.contact.memory_checks import check_coordinates
from motiform.motion.figures import FIGURES
from motiform.motion.matter.observe import _METERS as NETWORK_METERS
from motiform.motion.stepping.observe import CONTACT_CHANNELS
from motiform.motion.tree.friction import FRICTION_CHANNELS
from motiform.motion.tree.observe import FIGURE_CHANNELS, SEGMENT_CHANNELS
from motiform.motion.tree.switching.observe import LEAVING_CHANNELS
from motiform.scene.read.lines import line_of
from motiform.scene.tables.figure import FigureTable
from motiform.scene.tables.schema import BodyTable, SceneFile

__all__ = ["check_copies", "check_names", "check_plots"]

LINK_CHANNELS = ("length", "tension", "state", "work")
_SCREEN_METERS = ("energy.kinetic", "energy.potential")


def _check_distinct(objects: Sequence[Any], kind: str, plural: str, text: str, name: str) -> None:
    """Refuse a second object of the same name."""
    seen = set[str]()
    for n, one in enumerate(objects):
        if one.name in seen:
            where = f"{name}:{line_of(text, (kind, n, 'name'))}"
            raise SceneError(f"two {plural} have one name", where=where, got=one.name, remedy="Names must differ.")
        seen.add(one.name)


def check_names(document: SceneFile, text: str, name: str) -> None:
    """Refuse names that two things have, and names of bodies that are not there."""
    for kind, plural in (("figure", "figures"), ("obstacle", "obstacles"), ("network", "networks"),
                         ("screen", "screens"), ("body", "bodies")):  # fmt: skip
        _check_distinct(getattr(document, kind), kind, plural, text, name)
    names = [body.name for body in document.body]
    wanted = [
        (("spring", n, "between"), end) for n, s in enumerate(document.spring) for end in s.between if end != "world"
    ]
    wanted += [(("force", n, "body"), force.body) for n, force in enumerate(document.force)]
    for place, body_name in wanted:
        if body_name not in names:
            where = f"{name}:{line_of(text, place)}"
            raise SceneError(
                "no such body", where=where, got=body_name, allowed=", ".join(names), remedy=closest(body_name, names)
            )


def check_copies(document: SceneFile, text: str, name: str) -> None:
    """Refuse more copies of bodies that touch than fit into memory, before they get names."""
    if not (document.touching or document.coupled):
        return
    count = 0
    for n, body in enumerate(document.body):
        count += 6 * (1 if body.copies is None else body.copies.count)
        try:
            check_coordinates(count)
        except InputError as error:
            raise SceneError(f"{name}:{line_of(text, ('body', n))}: {error}") from error


def check_plots(document: SceneFile, text: str, name: str) -> None:
    """Refuse plots of channels, and hidden segments, that the recording will not have; parts are known later."""
    if any(figure.file is not None for figure in document.figure):
        return  # which segments there are is known when the file is read
    if document.screen:
        known = (_network_channels(document) if document.network else []) + _screen_channels(document)
    elif document.network:
        known = _network_channels(document) + (_coupled_channels(document) if document.coupled else [])
    elif document.figure or document.touching:
        known = _figure_channels(document)
    else:
        known = [f"{body.name}.{key}" for body in document.body for key in BODY_CHANNELS] + list(METER_CHANNELS)
    for n, channel in enumerate(document.image.plot):
        if channel not in known and not any(channel.startswith(f"{one}.") for one in known if not _single(one)):
            where = f"{name}:{line_of(text, ('image', 'plot', n))}"
            raise SceneError(
                "no such channel", where=where, got=channel, allowed=", ".join(known), remedy=closest(channel, known)
            )
    drawn = [one.removesuffix(".position") for one in known if one.endswith(".position")]
    for n, part in enumerate(document.image.hide):
        if part not in drawn:
            where = f"{name}:{line_of(text, ('image', 'hide', n))}"
            raise SceneError(
                "no such segment", where=where, got=part, allowed=", ".join(drawn), remedy=closest(part, drawn)
            )


def _single(channel: str) -> bool:
    """Tell whether a channel is one number, without parts."""
    return channel.endswith(("energy", "energy.kinetic", "energy.potential", "orthogonality"))


def _network_channels(document: SceneFile) -> list[str]:
    """Return the channels that a recording of the scene's networks will have."""
    known = [name for name, *_ in NETWORK_METERS]
    kept = ["position", *(["velocity"] if any(network.velocities for network in document.network) else [])]
    for network in document.network:
        prefix = f"{network.name}." if len(document.network) > 1 else ""
        known += [f"{prefix}{group.name}.{key}" for group in network.groups for key in kept]
        known += [f"{prefix}{link.name}.{key}" for link in network.link if link.record for key in LINK_CHANNELS]
    return known


def _screen_channels(document: SceneFile) -> list[str]:
    """Return the channels that a recording of the scene's screens will have."""
    known = [f"{screen.name}.{key}" for screen in document.screen for key in ("heights", *_SCREEN_METERS)]
    return known + [f"{screen.name}.{one.name}.position" for screen in document.screen for one in screen.engraver]


def _coupled_channels(document: SceneFile) -> list[str]:
    """Return what figures and bodies add to the channels of networks."""
    names = [name for body in document.body for name in _body_names(body)]
    known = [f"{name}.{key}" for name in names for key in ("position", "orientation")]
    meters = [f"{owner}.{name}" for name, *_ in NETWORK_METERS for owner in ("figure", "matter")]
    return [*known, *meters, "matter.wrench", *_figure_channels(document)]


def _body_names(body: BodyTable) -> list[str]:
    return [body.name] if body.copies is None else [f"{body.name}.{k + 1}" for k in range(body.copies.count)]


def _acts(figure: FigureTable) -> bool:
    """Whether something drives a figure from within."""
    keys = ("control", "posture", "step", "balance", "support", "stimulation", "muscle")
    return any(getattr(figure, key) for key in keys)


def _figure_channels(document: SceneFile) -> list[str]:
    """Return the channels that a recording of the scene's figures will have."""
    figures = document.figure
    known = [name for name in FIGURE_CHANNELS if name not in ("tau", "tags")]
    known += ["tau"] if any(_acts(f) for f in figures) else []
    pushed = [load.torque for figure in figures for load in figure.load]
    pushed += [force.torque for force in document.force] if document.touching else []
    known += [one for one in PUSH_CHANNELS if pushed and (one != "push.torque" or any(map(any, pushed)))]
    known += ["tags"] if any(figure.tag or figure.model for figure in figures) else []
    for figure in figures:
        prefix = f"{figure.name}." if len(figures) > 1 else ""
        plain = [f"{prefix}{segment}" for segment in (FIGURES[figure.model].segments if figure.model else ())]
        for segment in figure.segment:
            plain.append(f"{prefix}{segment.name}")
            if segment.joint.contact:
                known += [f"{prefix}{segment.name}.{key}" for key in SEGMENT_CHANNELS if key.startswith("contact")]
                rubs = segment.joint.contact.sliding and segment.joint.contact.friction
                more = [
                    *(FRICTION_CHANNELS if rubs else ()),
                    *(LEAVING_CHANNELS if segment.joint.contact.release else ()),
                ]
                known += [f"{prefix}{segment.name}.{key}" for key in dict.fromkeys(more)]
        known += [f"{name}.{key}" for name in plain for key in ("position", "orientation")]
        actuators = (
            ("motors", figure.motors or figure.step, MOTOR_QUANTITIES),
            ("motors", figure.step, WALKING_QUANTITIES),
            ("balance", figure.balance, BALANCE_QUANTITIES),
            ("support", figure.support, SUPPORT_QUANTITIES),
            ("stimulation", figure.stimulation, STIMULATION_QUANTITIES),
            ("muscles", figure.muscle, MUSCLE_QUANTITIES),
        )
        known += [f"{prefix}{name}.{key}" for name, given, keys in actuators if given for key in keys]
    known += ["z"] if any(f.motors or f.step or f.balance or f.stimulation or f.muscle for f in figures) else []
    return known + (_contact_channels(document) if document.touching else [])


def _contact_channels(document: SceneFile) -> list[str]:
    """Return the channels of contacts, and of bodies that are segments."""
    limited = any(
        figure.parameters.limits or any(segment.joint.limits for segment in figure.segment)
        for figure in document.figure
    )
    known = [name for name in CONTACT_CHANNELS if limited or not name.startswith("limit.")]
    for body in document.body:
        known += [f"{name}.{key}" for name in _body_names(body) for key in ("position", "orientation")]
    return known
