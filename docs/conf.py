"""Sphinx settings. Everything works offline: no fonts, scripts or inventories from elsewhere."""

from __future__ import annotations

import sixpoint

project = "sixpoint"
copyright = "the sixpoint developers"  # noqa: A001  (Sphinx wants this name)
version = release = sixpoint.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["colon_fence", "attrs_block"]
myst_heading_anchors = 3

# Docstrings mark code with single backquotes; where it names something, it becomes a link.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
autodoc_type_aliases = {"Floats": "Floats", "Ints": "Ints", "Bools": "Bools"}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
python_maximum_signature_line_length = 90

html_theme = "furo"
html_title = f"sixpoint {version}"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072B2", "color-brand-content": "#0072B2"},
    "dark_css_variables": {"color-brand-primary": "#56B4E9", "color-brand-content": "#56B4E9"},
}
