"""Sweeps over joints, one after the other: coordinate descent and reaching."""
