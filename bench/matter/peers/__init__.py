"""Peers of the matter bench."""
