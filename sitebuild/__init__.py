"""What turns `docs/` into the site: pages are run, and two of them filled from the library.

A page is one Markdown file; a picture in `docs/pictures/` is drawn by the Python file beside it,
and kept. None of it is in the wheel.
"""
