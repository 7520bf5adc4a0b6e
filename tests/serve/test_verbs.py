"""The words that change a study, and what they take."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from steerbo.core.request import Circumstances, Request
from steerbo.errors import InvalidRequest
from steerbo.serve.operations import LOOKS, VERBS, rounds_in
from steerbo.storage.keys import RIGHTS
from steerbo.study import Study
from tests.serve.players import oven


@pytest.mark.parametrize("word", VERBS)
def test_what_a_word_takes_is_what_the_study_takes(word: str) -> None:
    verb = VERBS[word]
    theirs = set(inspect.signature(getattr(Study, word)).parameters) - {"self", "suggestion", "request", "token"}
    theirs -= {"file"}  # which is uploaded: see `serve.files`
    if word in ("ask", "attach"):  # they take a request, and `more` for kinds from outside
        theirs |= {"more", *(Request if word == "ask" else Circumstances).__annotations__}
    assert set(verb.takes.model_fields) == theirs
    assert verb.right in RIGHTS[1:]


def test_looking_changes_nothing(tmp_path: Path) -> None:
    with Study.open(oven(tmp_path)) as study:
        for _, look in LOOKS.values():
            assert look(study)
        assert len(study.events) == 1


def test_states_that_there_are_not(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="open, told, failed, abandoned or void"):
        rounds_in("lost")
    with Study.open(oven(tmp_path)) as study:
        assert rounds_in(None)(study) == {"rounds": []}
