"""Solids: one file a kind."""
