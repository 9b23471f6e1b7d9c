"""Sequential Monte Carlo: poses drawn at random, weighed by how well they do what is asked."""
