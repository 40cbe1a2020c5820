"""Figures together with matter."""
