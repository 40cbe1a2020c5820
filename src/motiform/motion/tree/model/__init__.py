"""Figures: segments, joints, tags and surfaces; how one is built, checked, packed and read from tables."""
