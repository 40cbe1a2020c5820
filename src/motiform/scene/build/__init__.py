"""From the tables of a scene to models and the arguments of `simulate`."""
