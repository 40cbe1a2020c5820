"""Peers of the bench of many figures."""
