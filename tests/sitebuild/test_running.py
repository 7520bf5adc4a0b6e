"""How pages are run: what is shown, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sitebuild.running import PageError, run_page


def page(text: str, language: str = "python") -> str:
    return run_page(f"Words.\n\n```{language}\n{text}\n```\n")


def test_output_and_a_last_expression_are_shown() -> None:
    assert "```text\nhello\n3\n```" in page('print("hello")\n1 + 2')


def test_blocks_of_a_page_share_their_names() -> None:
    assert "```text\n7\n```" in run_page("```python\nx = 7\n```\nand\n```python\nprint(x)\n```\n")


def test_a_figure_is_an_image_that_says_what_is_on_it() -> None:
    pytest.importorskip("matplotlib")
    made = page(
        "from matplotlib.figure import Figure\nf = Figure()\nf.subplots().set(title='A < B')\nf.axes[0].plot([1])\nf"
    )
    assert '<img alt="A &lt; B" src="data:image/png;base64,' in made


BROKEN = ["1 / 0", "import steerbo as sb\nsb.Float('x', 1, 0)", "import warnings\nwarnings.warn('x')"]


@pytest.mark.parametrize("text", BROKEN)
def test_a_block_that_fails_fails_the_page(text: str) -> None:
    with pytest.raises(PageError):
        page(text)


def test_an_error_that_is_to_be_seen_is_seen_and_must_come() -> None:
    assert "InvalidProblem" in page("import steerbo as sb\nsb.CostVarying([], [])", "python fails")
    with pytest.raises(PageError, match="should fail"):
        page("x = 1", "python fails")


def test_commands_are_run_with_the_files_of_the_page() -> None:
    made = run_page(
        '```python title="a.py"\nprint(6 * 7)\n```\n\n```console\n$ python a.py\n$ steerbo --version\n```\n'
    )
    assert "$ python a.py\n42\n" in made
    assert "$ steerbo --version\nsteerbo" in made
    with pytest.raises(PageError, match="ended with 2"):
        page("$ steerbo check nothing.toml", "console")
    assert "nothing.toml" in page("$ steerbo check nothing.toml", "console fails")


def test_the_process_is_as_before() -> None:
    here, variables = Path.cwd(), dict(os.environ)
    page("import os\nos.environ['X_OF_A_PAGE'] = '1'\nopen('left.txt', 'w').close()")
    assert Path.cwd() == here
    assert dict(os.environ) == variables
    assert not Path("left.txt").exists()
