"""`python -m sixpoint` is the command `sixpoint`."""

from .cli import main

main(prog_name="sixpoint")
