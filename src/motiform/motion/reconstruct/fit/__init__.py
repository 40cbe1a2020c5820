"""Postures from markers."""
