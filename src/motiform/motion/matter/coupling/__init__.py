"""Coupling analysis: impedance, influence, transmission, separation into runs, and data rates."""

from motiform.motion.matter.coupling.band import Band
from motiform.motion.matter.coupling.budget import (
    ModelScale,
    Row,
    ScaleComparison,
    SignalScale,
    bits_for,
    budget_table,
    compare,
)
from motiform.motion.matter.coupling.cost import CutComparison, ModelError, compare_runs
from motiform.motion.matter.coupling.cut import Advice, Cut, PairAdvice, advise, cut_network
from motiform.motion.matter.coupling.elements import link_impedance, mass_impedance, parallel, series
from motiform.motion.matter.coupling.impedances import (
    Port,
    impedance,
    nodal_matrix,
    open_velocity,
    port_impedance,
    seen_from,
    velocities,
)
from motiform.motion.matter.coupling.influence_criteria import (
    Influence,
    cut_error,
    influence,
    influence_of_parts,
    influences,
)
from motiform.motion.matter.coupling.linear import (
    GROUND,
    LinearNetwork,
    cell,
    chain_of_cells,
    join,
    state_matrix,
    without_links,
)
from motiform.motion.matter.coupling.linearisation import impedance_of, linearise
from motiform.motion.matter.coupling.marker import MarkerOnCell
from motiform.motion.matter.coupling.natural_modes import Modes, modes
from motiform.motion.matter.coupling.prototypes import Prototypes, main_prototypes, rigid_prototypes
from motiform.motion.matter.coupling.replay import Split, record_connection, run_schedule, split
from motiform.motion.matter.coupling.separation import ScheduledRun, Separation, separate, separate_by_influence
from motiform.motion.matter.coupling.signals import EnergySpectrum, contour_band, energy_spectrum, signal_scale
from motiform.motion.matter.coupling.transfers import passband
from motiform.motion.matter.coupling.transmissions import (
    Condition,
    TwoPort,
    constant_length,
    follows_neighbours,
    length_change,
    non_dynamic,
    spring_transmission,
    stiff_enough,
    transmission,
    two_port,
)

__all__ = [
    "GROUND", "Advice", "Band", "Condition", "Cut", "CutComparison", "EnergySpectrum", "Influence", "LinearNetwork",
    "MarkerOnCell", "ModelError", "ModelScale", "Modes", "PairAdvice", "Port", "Prototypes", "Row", "ScaleComparison",
    "ScheduledRun", "Separation", "SignalScale", "Split", "TwoPort", "advise", "bits_for", "budget_table", "cell",
    "chain_of_cells", "compare", "compare_runs", "constant_length", "contour_band", "cut_error", "cut_network",
    "energy_spectrum", "follows_neighbours", "impedance", "impedance_of", "influence", "influence_of_parts",
    "influences", "join", "length_change", "linearise", "link_impedance", "main_prototypes", "mass_impedance", "modes",
    "nodal_matrix", "non_dynamic", "open_velocity", "parallel", "passband", "port_impedance", "record_connection",
    "rigid_prototypes", "run_schedule", "seen_from", "separate", "separate_by_influence", "series", "signal_scale",
    "split", "spring_transmission", "state_matrix", "stiff_enough", "transmission", "two_port", "velocities",
    "without_links",
]  # fmt: skip
