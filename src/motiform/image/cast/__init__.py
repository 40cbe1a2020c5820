"""The ray caster: off-screen rendering of a form."""
