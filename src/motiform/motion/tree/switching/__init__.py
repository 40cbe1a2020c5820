"""Runs of figures whose contact joints leave and land: phases, impacts, events."""
