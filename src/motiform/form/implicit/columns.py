"""Numbers of an element of an implicit surface, and of the kinds of fields."""

START, END, STRENGTH, SIZE, WIDTH = 0, 3, 6, 7, 8
ARMS, METRIC, EXPONENT, CORNERS, WIDE = 9, 18, 27, 28, 29
"""Of an element with a metric or more corners than two: from its first corner to the others in its own metric (3, 3),
that metric (3, 3), its exponent, its corners. Its size is the square root of R^e by Wyvill's kernel. Column 8 is left
to the ray caster."""
BLINN, WYVILL, CONVOLUTION = 0, 1, 2
SHAPED = 4
"""Added to the kind of a field whose elements have the wide columns."""
