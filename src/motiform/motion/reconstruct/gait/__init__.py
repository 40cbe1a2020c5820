"""Gait events, feet, and clinical joint angles."""
