"""From the tables of a scene to models."""
