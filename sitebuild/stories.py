"""A story is a Python script in cells (`# %%`, as jupytext, VS Code and Spyder read them); on the site it is a page."""

from __future__ import annotations

import re

_CELL = re.compile(r"^# %%(?P<rest>.*)\n", re.M)


def as_page(script: str) -> str:
    r"""The Markdown of a story: `# %% [markdown]` cells are prose, the others blocks of Python.

    >>> print(as_page("# %% [markdown]\n# # Title\n#\n# Words.\n# %%\nx = 1\n"), end="")
    # Title
    <BLANKLINE>
    Words.
    <BLANKLINE>
    ```python
    x = 1
    ```
    """
    pieces = _CELL.split(script)[1:]
    cells = []
    for rest, text in zip(pieces[::2], pieces[1::2], strict=True):
        if "[markdown]" in rest:
            cells.append(re.sub(r"^# ?", "", text.strip("\n"), flags=re.M) + "\n")
        elif text.strip():
            words = rest.strip()
            cells.append(f"```python{' ' + words if words else ''}\n{text.strip(chr(10))}\n```\n")
    return "\n".join(cells)
