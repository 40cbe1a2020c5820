"""URDF: links and joints of robots."""
