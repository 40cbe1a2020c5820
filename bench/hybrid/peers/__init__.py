"""Peers of the hybrid bench."""
