"""Lengths of a figure and places of its tags from markers."""
