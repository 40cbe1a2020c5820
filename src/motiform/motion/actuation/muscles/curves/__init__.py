"""Curves of Hill-type muscles, a file for each model: force by length and speed of the fibre, strain of the tendon."""
