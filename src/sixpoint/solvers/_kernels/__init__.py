"""The inner loops of the solvers, under the same file names. They know numbers, not people."""
