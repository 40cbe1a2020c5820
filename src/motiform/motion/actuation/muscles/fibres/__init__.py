"""Fibres and tendons of Hill-type muscles: packed parameters, curves and their equilibrium."""
