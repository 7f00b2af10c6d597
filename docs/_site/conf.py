"""How Sphinx makes the site; `build.py` calls it."""

project = "DALI Studio"
author = "The DALI Studio authors"
copyright = author  # noqa: A001 - what Sphinx calls it
extensions = ["myst_parser"]
myst_heading_anchors = 4
# Figures and names of files repeat what a picture shows.
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = html_show_sphinx = False
# Names in code that no lexer knows, such as shell transcripts, stay plain.
suppress_warnings = ["misc.highlighting_failure"]
