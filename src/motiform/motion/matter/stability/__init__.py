"""Stability analysis of networks before the run."""
