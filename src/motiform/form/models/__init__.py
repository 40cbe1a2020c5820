"""How models are drawn: a file for each kind of model, and the register of them."""

from collections.abc import Callable
from typing import Any

from motiform.form.looks import Looks
from motiform.form.models.bodies import bodies_looks
from motiform.form.models.figure import contact_looks, figure_looks, solid_looks
from motiform.form.models.muscles import muscles_looks
from motiform.form.models.network import network_looks
from motiform.form.models.screen import screen_looks, screens_looks
from motiform.form.models.wrist import cover_looks, wrist_looks
from motiform.geometry.maps import Cover
from motiform.motion.actuation import HillMuscles, StimulatedMuscles
from motiform.motion.bodies import Bodies
from motiform.motion.bones import Wrist
from motiform.motion.contact import Contacts
from motiform.motion.coupled.parts import SegmentSolid
from motiform.motion.matter import Network
from motiform.motion.screens import Screen, Screens
from motiform.motion.tree import Figure

__all__ = ["LOOKS"]

#: By type of a model, or of what goes with it: a function of it and of the model that it goes with.
LOOKS: dict[type, Callable[[Any, object], Looks]] = {
    Bodies: bodies_looks,
    Figure: figure_looks,
    Contacts: contact_looks,
    HillMuscles: muscles_looks,
    StimulatedMuscles: muscles_looks,
    Network: network_looks,
    SegmentSolid: solid_looks,
    Wrist: wrist_looks,
    Cover: cover_looks,
    Screen: screen_looks,
    Screens: screens_looks,
}
