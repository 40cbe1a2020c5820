"""Numbers of an element of an implicit surface, and of the kinds of fields."""

START, END, STRENGTH, SIZE, WIDTH = 0, 3, 6, 7, 8
BLINN, WYVILL, CONVOLUTION = 0, 1, 2
