"""Figures coupled with matter."""
