"""Jacobian methods: small steps down the gradient of what is asked."""
