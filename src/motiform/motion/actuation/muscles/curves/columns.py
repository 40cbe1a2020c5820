"""The layout of a Bézier curve for kernels."""

CURVE = 5  # numbers before the pieces: pieces, first and last x, slopes beyond
PIECE = 13  # first x, coefficients of x − x₀ and of y by powers of the parameter
