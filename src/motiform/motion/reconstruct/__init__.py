"""Posture, size and effort of a figure from optical markers."""
