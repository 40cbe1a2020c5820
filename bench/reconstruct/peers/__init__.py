"""Peers of the reconstruct bench."""
