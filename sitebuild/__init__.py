"""What turns `docs/` into the site: pages whose code is run, stories, pictures, and pages written from the library.

A page is one Markdown file, a story one Python file, a picture one Python file with `draw()`. None of it is in the
wheel.
"""
