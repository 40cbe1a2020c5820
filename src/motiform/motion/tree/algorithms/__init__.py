"""Kinematics and dynamics of figures: positions, Jacobians, inverse and forward dynamics, closures, derivatives."""
