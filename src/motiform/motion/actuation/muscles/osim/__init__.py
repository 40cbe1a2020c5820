"""Muscles of OpenSim models: read, and written."""
