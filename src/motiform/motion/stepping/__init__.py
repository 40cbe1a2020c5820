"""Figures with contacts: event-driven runs, and time-stepping for many contacts."""

from motiform.motion.stepping.bodies import add_body, body_segments, start_bodies

__all__ = ["add_body", "body_segments", "start_bodies"]
