"""Stability of a network, known before the first step."""
