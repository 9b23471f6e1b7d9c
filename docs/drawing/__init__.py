"""The pictures of the documentation, made by the package itself; see `pictures.py`."""
