"""Kinds and methods: ours by name, others' by class, by place and by entry points, and what is wrong with each."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar

import pytest

import steerbo as sb
from steerbo.core import Method, default_method, find_method, kinds, problem_class, read_problem, registry
from steerbo.core._creation import MethodOptions
from steerbo.costvarying.cheap_first import CheapFirst
from steerbo.errors import InvalidOption, InvalidProblem, InvalidStudy
from steerbo.records import record
from steerbo.timevarying.baselines import Random as RandomInTime
from tests.core.outside import KIND, PROBLEM, created
from tests.core.stub import Nearest, Stub
from tests.outsiders import FEW, install

# -- ours --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["cost-varying", "time-varying", "causal", "mean-field"])
def test_every_wing_lists_its_methods_once_with_a_line_about_each(kind: str) -> None:
    rows = sb.methods(kind).rows
    assert {row[0] for row in rows} == {kind}
    names = [row[1] for row in rows]
    assert len(set(names)) == len(names) > 3
    assert all(row[2].endswith(".") for row in rows)
    assert "random" in names


def test_the_default_is_the_first_that_is_listed() -> None:
    assert (
        default_method(PROBLEM)
        == created(sb.Optimizer(PROBLEM)).method
        == "cheap-first"
        == sb.methods(PROBLEM).rows[0][1]
    )


def test_one_of_ours_is_logged_by_its_name_however_it_was_named() -> None:
    for said in ("cheap-first", CheapFirst, "steerbo.costvarying.cheap_first:CheapFirst"):
        assert created(sb.Optimizer(PROBLEM, said)).method == "cheap-first"
        assert created(sb.Optimizer(PROBLEM, said)).problem_class is None
        assert "packages" not in created(sb.Optimizer(PROBLEM, said)).fingerprint


@pytest.mark.parametrize("said", ["cheap-frist", "", 3, object, ["random"]])
def test_what_is_no_method_is_refused_by_name(said: Any) -> None:
    with pytest.raises(InvalidOption, match=r"^method: .*one of cheap-first, .*, a class, or its place"):
        sb.Optimizer(PROBLEM, said)


def test_a_method_for_another_kind_is_refused() -> None:
    with pytest.raises(InvalidOption, match=r"a method for cost-varying problems. random solves time-varying"):
        sb.Optimizer(PROBLEM, RandomInTime)


# -- a class -----------------------------------------------------------------------------------------------------------


def test_an_option_of_a_class_is_checked() -> None:
    with pytest.raises(InvalidOption, match=r"stride: .*an option of 'nearest', one of step"):
        sb.Optimizer(Stub(), Nearest, stride=1)  # type: ignore[call-arg]


def test_a_kind_that_nobody_lists_needs_a_method() -> None:
    with pytest.raises(InvalidOption, match=r"method for stub problems; no package lists one. Give the class"):
        sb.Optimizer(Stub())


class Half(Method[Any, Any]):
    """It does not say how to choose."""

    name: ClassVar[str] = "half"


class Nameless(Nearest):
    """No name that can be shown."""

    name: ClassVar[Any] = None


class Needy(Nearest):
    """It cannot be made without an option."""

    @record
    class Options:
        """One without a default."""

        step: float


class Odd(Nearest):
    """Its options are no record."""

    Options: ClassVar[Any] = dict


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (Half, "It lacks choose, explain, recommend_at"),
        (Nameless, "Give it one"),
        (Needy, "every field has a default"),
        (Odd, "Options are a record"),
    ],
)
def test_a_class_that_is_not_whole_is_refused(cls: Any, said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        sb.Optimizer(Stub(), cls)


def test_a_class_inside_a_function_is_for_memory_only(tmp_path: Path) -> None:
    class Local(Nearest):
        """Found by nobody else."""

    optimizer = sb.Optimizer(Stub(), Local)
    assert optimizer.ask() is not None
    with pytest.raises(InvalidStudy, match=r"events.0: method: .*move it to the top of a module"):
        sb.load(optimizer.to_json())
    with pytest.raises(InvalidStudy, match=r"method: .*a class that is found again.*keep this study in memory"):
        sb.Study.create(tmp_path / "study.db", Stub(), Local)


# -- entry points ------------------------------------------------------------------------------------------------------


def test_installed_packages_bring_methods_and_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(
        tmp_path / "site",
        monkeypatch,
        "outside_shelf",
        KIND + FEW,
        problems="shelf = outside_shelf:Shelf",
        methods="shelf = outside_shelf:Middle\ncost-varying = outside_shelf:Middle",
    )
    assert kinds()[-1] == "shelf"
    assert ("shelf", "middle", "Always the middle.", "") in sb.methods().rows
    assert sb.methods("cost-varying").rows[-1][1] == "middle"
    problem = read_problem({"kind": "shelf"})
    optimizer = sb.Optimizer(problem)
    assert created(optimizer).method == "outside_shelf:Middle"
    assert created(optimizer).problem_class == "outside_shelf:Shelf"
    assert created(optimizer).fingerprint["packages"] == "outside_shelf 1.0"
    suggestion = optimizer.ask()
    assert suggestion is not None
    assert suggestion.values == {"height": 1.0}
    assert sb.load(optimizer.to_json()).events == optimizer.events
    assert created(sb.Optimizer(PROBLEM, "middle")).method == "outside_shelf:Middle"
    assert created(sb.Optimizer(PROBLEM)).method == "cheap-first"


def test_a_broken_package_hinders_nobody_else_and_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = "cost-varying = broken_one:METHODS"
    install(tmp_path / "a", monkeypatch, "broken_one", "METHODS = [1]", methods=broken)
    install(tmp_path / "b", monkeypatch, "broken_two", "1 / 0", methods="cost-varying = broken_two:METHODS")
    needy = FEW.replace('name = "middle"', 'name = "mid:dle"')
    install(tmp_path / "d", monkeypatch, "misnamed", needy, methods="cost-varying = misnamed:Middle")
    install(tmp_path / "c", monkeypatch, "stray", FEW, methods="cost-varing = stray:Middle")
    assert sb.Optimizer(PROBLEM, "random").ask() is not None
    said = "\n".join(row[2] for row in sb.methods().rows if not row[1])
    assert "method of broken_one 1.0: 'broken_one:METHODS' is not allowed; expected a class derived from Method" in said
    assert "broken_two 1.0" in said
    assert "ZeroDivisionError" in said
    assert "'misnamed:Middle' is not allowed; expected a class with a name" in said
    assert "there is no such kind of problem (stray 1.0)" in said
    with pytest.raises(
        InvalidOption, match=r"one of cheap-first.*Another installed package is broken: method of broken_one"
    ):
        sb.Optimizer(PROBLEM, "middle")


def test_names_of_ours_stay_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = FEW.replace('"middle"', '"cheap-first"')
    install(tmp_path / "site", monkeypatch, "squatter", content, methods="cost-varying = squatter:Middle")
    assert find_method(PROBLEM, "cheap-first") is CheapFirst
    install(tmp_path / "site", monkeypatch, "squat", KIND, problems="cost-varying = squat:Shelf")
    assert problem_class("cost-varying") is sb.CostVarying


def test_a_kind_that_two_packages_bring_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("shelf_one", "shelf_two"):
        install(tmp_path / name, monkeypatch, name, KIND, problems=f"shelf = {name}:Shelf")
    with pytest.raises(InvalidProblem, match=r"one package brings: this is in shelf_one:Shelf and in shelf_two:Shelf"):
        read_problem({"kind": "shelf"})
    assert problem_class("shelf", "shelf_two:Shelf").__module__ == "shelf_two"


def test_a_kind_that_is_not_whole_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(
        tmp_path, monkeypatch, "half_shelf", KIND.replace("def space", "def spice"), problems="shelf = half_shelf:Shelf"
    )
    with pytest.raises(InvalidProblem, match=r"problem.kind: 'shelf' .*It lacks space"):
        read_problem({"kind": "shelf"})


@pytest.mark.parametrize("kind", ["cost-varyin", None, 3, ["causal"], "os:system"])
def test_what_is_no_kind_is_refused(kind: Any) -> None:
    with pytest.raises(InvalidProblem, match=r"^problem.kind: .*one of cost-varying"):
        read_problem({"kind": kind})


def test_type_checkers_know_the_options_of_our_own_methods() -> None:
    ours = {
        option.name
        for kind in kinds()[:4]
        for entry in registry._sources(kind)
        for method in registry._listed(entry, [])
        for option in fields(method.Options)
        if method.__module__.startswith("steerbo.")  # the benchmarks' package may be installed
    }
    assert ours == MethodOptions.__annotations__.keys(), "add it there, or they call it a mistake"
