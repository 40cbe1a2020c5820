"""Muscles of a leg model: paths, and shares of moments."""
