"""What is asked of the compiled function of an actuator, what it answers, and the columns of its row."""

__all__ = [
    "ADDRESS",
    "ASK",
    "CALL",
    "FIRST_EVENT",
    "FIRST_FLOAT",
    "FIRST_INT",
    "FIRST_MEMORY",
    "FIRST_STATE",
    "FIRST_WORK",
    "GAINS",
    "GEOMETRY",
    "LAW",
    "LIMITED",
    "MARGINS",
    "NEXT",
    "NOT_FINITE",
    "OK",
    "RATES",
    "ROW",
    "SETTLE",
    "SWITCH",
]

RATES, MARGINS, SWITCH, NEXT, CALL, SETTLE, GAINS, LAW, GEOMETRY = range(9)
"""Add forces and write rates of states; write margins of events; change states and memory after an event; write the
next instant at which something is due; do what is due; change them after velocities have jumped; add stiffness to
forces and damping to what is written; write the command of a law; write lengths of muscles, and moment arms in place of
forces."""
OK, ASK, NOT_FINITE = 0, -1, -2
"""Answers: done; Python must be asked; numbers that are not finite. Above 0: what the actuator itself refuses."""
ADDRESS, FIRST_INT, FIRST_FLOAT, FIRST_WORK, FIRST_STATE, FIRST_MEMORY, FIRST_EVENT, LIMITED = 0, 1, 3, 5, 7, 9, 11, 13
ROW = 14
"""Where the function stands; where its own numbers begin, each with where they end in the next column."""
