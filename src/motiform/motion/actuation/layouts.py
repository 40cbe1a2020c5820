"""What the kernels of control laws take together."""

from motiform.base.layouts import Floats, Floats2, Floats3, Ints, Ints2, NamedTuple

__all__ = ["ControlLaws"]


class ControlLaws(NamedTuple):
    """Posture controls and coordinate drives of a figure as arrays, and what they come to."""

    ints: Ints2
    """A row of each posture control, see `columns`."""
    times: Floats
    """[s] of the postures of all."""
    pieces: Floats3
    """Cubic pieces between them, the highest power first, (n, 4, nq)."""
    wanted: Floats2
    """Posture, rates and accelerations; those of a control without times are given here."""
    effort_times: Floats
    efforts: Floats3
    """Feedforward from an instant on, and its rate, (n, 2, nv)."""
    at_q: Ints
    at_v: Ints
    """Driven coordinates of all."""
    stiffness: Floats2
    damping: Floats2
    limit: Floats2
    """Of each control, (controls, nv)."""
    drive_q: Ints
    drive_v: Ints
    drives: Floats2
    """A row of each coordinate drive, see `columns`."""
    part: Floats
    tau: Floats
    """Efforts of all, (nv,)."""
    K: Floats
    D: Floats
    """Stiffness and damping of what is not at a limit, (nv,)."""
