"""Measurements that anyone can repeat: `sixpoint bench`."""
