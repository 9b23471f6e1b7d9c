"""Who was tracked, and how: names, units, axes, noise and mistakes of tracked points."""
