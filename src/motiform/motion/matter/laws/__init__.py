"""Laws of links: springs and dampers, ready-made laws, automata."""
