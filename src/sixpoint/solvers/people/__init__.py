"""People as tables, and what every method for people does with their six points."""
