"""Motion: models of bodies, figures and matter, simulation, and reconstruction from measurements."""
