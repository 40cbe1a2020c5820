"""MJCF: the kinematic trees, contacts and actuators of MuJoCo models."""
