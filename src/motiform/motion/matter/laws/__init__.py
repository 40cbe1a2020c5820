"""Laws of links: zone laws, presets, automata."""
