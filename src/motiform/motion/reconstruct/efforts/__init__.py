"""Velocities, accelerations, plate forces and joint efforts of a reconstructed motion."""
