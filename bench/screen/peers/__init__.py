"""Peers of the screen bench."""
