"""Peers of the muscles."""
