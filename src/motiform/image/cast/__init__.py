"""The ray caster: pictures of a form without a screen."""
