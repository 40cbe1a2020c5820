"""Event-driven simulation of figures with contacts, and time-stepping for long or crowded scenes."""
