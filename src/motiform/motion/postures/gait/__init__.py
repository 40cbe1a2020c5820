"""Gait events, strides and clinical joint angles."""
