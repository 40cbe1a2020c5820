"""Peers of the tree bench."""
