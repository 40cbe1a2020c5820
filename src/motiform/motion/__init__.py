"""Motion: what moves, and by which laws."""
