"""A small model of how people usually move: it fills in what six points leave open."""
