"""The layout of a command for kernels, at the head of the integers and numbers of an actuator.

Integers: where the actuator's own integers, numbers and workspace begin; then the command. Numbers: delay and period
[s], then the values of a constant command, or times and values of a train, then what a law reads.
"""

(OWN_INT, OWN_FLOAT, OWN_WORK, FORM, SIZE, KEPT, RING, BEGIN, CLOCK, LENGTH, COUNT, LAW, LAW_INT, LAW_FLOAT,
 HEADER) = range(15)  # fmt: skip
"""`FORM` is one of those below; numbers of a command, of the law's memory; most commands that wait, and one; place of
the begin, and of instants that a law tells (0: none); numbers of the memory; commands of a train; address of a compiled
law (0: Python is asked), where its integers and numbers begin."""
CONSTANT, TRAIN, SAMPLED = range(3)
DELAY, PERIOD, VALUES = range(3)
GIVEN, APPLIED, HELD = range(3)
"""Of the memory: commands that were given, those that have taken hold, and the one that holds."""
