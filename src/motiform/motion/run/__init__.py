"""Running models: options, integrators, the loop that records, dense output, guards and the location of events."""

from motiform.motion.run.blocks import Pace, run_blocks
from motiform.motion.run.explicit import ExplicitStep, Schedule, accepted_step, march
from motiform.motion.run.guards import Fired, Guard
from motiform.motion.run.headway import SlowWarning
from motiform.motion.run.integrators import (
    CASH_KARP,
    DORMAND_PRINCE,
    EULER,
    METHODS,
    RK4,
    Method,
    Tableau,
    get_method,
    get_tableau,
    integrators_of,
)
from motiform.motion.run.kinds import ModelKind
from motiform.motion.run.loop import check_recording_size, record
from motiform.motion.run.options import RunArguments, RunOptions, check_number
from motiform.motion.run.sampling import AdaptiveSteps, Equations, FixedSteps, integrate
from motiform.motion.run.system import Block, Checkpoint, Run, States, System

__all__ = [
    "CASH_KARP",
    "DORMAND_PRINCE",
    "EULER",
    "METHODS",
    "RK4",
    "AdaptiveSteps",
    "Block",
    "Checkpoint",
    "Equations",
    "ExplicitStep",
    "Fired",
    "FixedSteps",
    "Guard",
    "Method",
    "ModelKind",
    "Pace",
    "Run",
    "RunArguments",
    "RunOptions",
    "Schedule",
    "SlowWarning",
    "States",
    "System",
    "Tableau",
    "accepted_step",
    "check_number",
    "check_recording_size",
    "get_method",
    "get_tableau",
    "integrate",
    "integrators_of",
    "march",
    "record",
    "run_blocks",
]
