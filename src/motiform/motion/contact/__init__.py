"""Contacts of articulated figures: points, obstacles, the acceleration problem, impacts."""
