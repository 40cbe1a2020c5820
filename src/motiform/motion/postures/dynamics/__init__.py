"""Inverse dynamics of a motion: force plates, their assignment to feet, joint efforts."""
