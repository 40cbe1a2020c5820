"""Inverse kinematics: postures from markers."""
