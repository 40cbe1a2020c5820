"""Contact joints: two surfaces that roll, slide and spin on each other in permanent contact."""
