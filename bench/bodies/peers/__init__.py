"""Peers of the bodies bench."""
