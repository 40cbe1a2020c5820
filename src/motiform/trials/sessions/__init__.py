"""A session: static trials, gait trials and conditions of one subject become one whole with one report."""

from motiform.trials.sessions.run import Session, session

__all__ = ["Session", "session"]
