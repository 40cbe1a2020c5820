"""OpenSim models: joints, functions, constraints and markers; read, and written."""
