"""Slices and importance are those of the model that the recommendation rests on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo import plots
from steerbo.errors import InvalidOption, InvalidRequest
from steerbo.interop.posteriors import PosteriorQuery
from steerbo.plots.drawing import shades
from steerbo.plots.model import TOGETHER, importance_of, learned_pictures, over_time_of, slices_of, surface_of
from steerbo.timevarying import SquaredExponential
from tests.interop.examples import box, control_sets, drifting, mixed_control_sets, scopes, seen
from tests.meanfield import worlds as meanfield

pytest.importorskip("matplotlib")


def line(axes: Any) -> tuple[np.ndarray, np.ndarray]:
    """The expected values, and where."""
    shown = next(each for each in axes.get_lines() if each.get_label() == "expected")
    return np.array(shown.get_xdata(), dtype=float), np.array(shown.get_ydata(), dtype=float)


def marks(axes: Any, label: str) -> Any:
    return next(each for each in axes.get_lines() if each.get_label() == label)


def sites(**more: Any) -> sb.Optimizer:
    """Two variables with steps: a domain of finitely many points."""
    priors = [sb.Prior(SquaredExponential(0.3), drift=sb.Decay(0.02), noise=0.1, name="hills")]
    variables = [sb.Float("a", 0, 1, step=0.05), sb.Float("b", 0, 1, step=0.1)]
    optimizer = sb.Optimizer(sb.TimeVarying(variables, priors, **more), "gp-ucb", seed=0)
    for time in range(12):
        suggestion = optimizer.ask(time=float(time))
        assert suggestion is not None
        optimizer.tell(suggestion, 1 - 9 * (suggestion.values["a"] - 0.5) ** 2)
    return optimizer


# -- slices ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("minimize", [False, True])
def test_the_best_of_a_slice_is_the_recommendation(minimize: bool) -> None:
    optimizer = control_sets(minimize)
    for advice in (optimizer.recommend(), *optimizer.recommend().alternatives):
        axes = plots.known(optimizer, scope=advice.scope)
        at, mean = line(axes)
        best = int(mean.argmin() if minimize else mean.argmax())
        name = axes.get_xlabel()
        assert mean[best] == pytest.approx(advice.mean, rel=1e-2)
        assert at[best] == pytest.approx(advice.values[name], abs=0.2)
        mark = marks(axes, "recommended")
        assert mark.get_xdata()[0] == advice.values[name]
        assert mark.get_ydata()[0] == pytest.approx(advice.mean, rel=1e-2)


def test_a_band_is_about_as_wide_as_the_bounds_of_the_answer() -> None:
    optimizer = control_sets()
    advice = optimizer.recommend()
    found = slices_of(optimizer).of("ph" if "ph" in advice.values else "t")
    assert found.best
    k = int(np.abs(np.array(found.at) - found.best[0]).argmin())
    assert advice.upper is not None
    assert advice.mean is not None
    assert found.width[k] == pytest.approx(advice.upper - advice.mean, rel=0.4), "quantiles are no two deviations"


def test_outcomes_are_those_told_and_others_are_hollow() -> None:
    optimizer = control_sets()
    found = slices_of(optimizer, scope=["ph"]).of("ph")
    told = [r for r in optimizer.history if r.outcome]
    assert [datum.value for datum in found.data] == [r.outcome.value for r in told if r.outcome]
    assert [datum.at for datum in found.data] == [r.outcome.realised["ph"] for r in told if r.outcome]
    assert [datum.own for datum in found.data] == [r.suggestion.scope.set == ("ph",) for r in told]
    assert len({datum.near for datum in found.data}) == 1, "along the only variable that is set, all are near"


def test_an_outcome_is_the_paler_the_farther_away_it_was() -> None:
    optimizer = control_sets()
    found = slices_of(optimizer, scope=["t", "ph"])
    best = found.values["ph"]
    far = [(abs(r.outcome.realised["ph"] - best), datum.near)
           for r, datum in zip((r for r in optimizer.history if r.outcome), found.of("t").data, strict=True)
           if r.outcome]  # fmt: skip
    near = [n for _, n in sorted(far)]
    assert near == sorted(near, reverse=True)
    assert all(0.0 <= n <= 1.0 for n in near)


def test_older_outcomes_are_paler_where_the_optimum_moves() -> None:
    found = slices_of(drifting(), scope=["t"]).of("t")
    near = [datum.near for datum in found.data]
    assert near == sorted(near)
    assert near[0] < 0.01 < near[-1]


def test_a_suggestion_that_is_out_is_shown_and_none_is_made() -> None:
    optimizer = control_sets()
    plots.known(optimizer)
    assert not optimizer.pending
    suggestion = optimizer.ask()
    assert suggestion is not None
    name, value = next(iter(suggestion.values.items()))
    axes = plots.known(optimizer, variable=name, scope=suggestion.scope.set)
    assert marks(axes, "suggested next").get_xdata()[0] == value
    assert len(optimizer.pending) == 1


def test_of_the_recommended_scope_if_nothing_is_said() -> None:
    optimizer = control_sets()
    assert plots.known(optimizer).get_xlabel() in optimizer.recommend().values
    whole = plots.known(optimizer, variable="ph", scope=["t", "ph"], value="yield (kg)")
    assert (whole.get_xlabel(), whole.get_ylabel()) == ("ph", "expected yield (kg)")


def test_axes_go_in_and_out() -> None:
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert plots.known(control_sets(), axes) is axes
    assert plots.importance(control_sets(), axes) is axes
    for draw in (plots.known, plots.importance):
        with pytest.raises(InvalidOption, match=r"^ax: "):
            draw(control_sets(), "here")


def test_categories_and_few_levels_are_points() -> None:
    optimizer = mixed_control_sets()
    everything = ["temperature", "ph", "plants", "line"]
    letters = plots.known(optimizer, variable="line", scope=everything)
    assert [text.get_text() for text in letters.get_xticklabels()] == ["a", "b"]
    whole = plots.known(optimizer, variable="plants", scope=everything)
    assert line(whole)[0].tolist() == [1, 2, 3, 4]
    assert marks(whole, "expected").get_linestyle() == "None"


def test_units_and_steps() -> None:
    problem = sb.CostVarying([sb.Float("heat", 0, 10, step=0.25, unit="kW")], [["heat"]], costs=[1.0])
    optimizer = sb.Optimizer(problem, seed=0)
    for _ in range(6):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, -((suggestion.values["heat"] - 4) ** 2))
    axes = plots.known(optimizer)
    assert axes.get_xlabel() == "heat (kW)"
    assert marks(axes, "expected").get_drawstyle() == "steps-mid"
    assert line(axes)[0].tolist() == [0.25 * k for k in range(41)]


def test_whole_numbers_on_a_logarithmic_scale_are_drawn_in_every_decade() -> None:
    problem = sb.CostVarying([sb.Integer("cells", 1, 20_000, scale="log")], [["cells"]], costs=[1.0])
    optimizer = sb.Optimizer(problem, seed=0)
    for _ in range(6):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, -((np.log10(suggestion.values["cells"]) - 1) ** 2))
    at = np.array(slices_of(optimizer).of("cells").at)
    assert at[[0, -1]].tolist() == [1, 20_000]
    assert {*range(1, 10)} <= {*at.tolist()}
    assert (np.diff(np.log(at[at > 20])) < 0.1).all()


def test_slices_have_a_panel_for_each_variable() -> None:
    optimizer = mixed_control_sets()
    shown = plots.slices(optimizer, scope=["temperature", "ph", "plants", "line"], value="yield (kg)")
    assert [axes.get_xlabel() for axes in shown.axes if axes.get_visible()] == [
        "temperature (°C)", "ph", "plants", "line"
    ]  # fmt: skip
    assert shown.get_figwidth() == pytest.approx(180 / 25.4)
    assert shown._supylabel.get_text() == "expected yield (kg)"
    assert plots.slices(optimizer, width=90).get_figwidth() == pytest.approx(90 / 25.4)


def test_every_kind_whose_model_is_over_variables() -> None:
    assert plots.known(seen(), context={"weather": 12.0}).get_lines()
    assert plots.known(box(), time=20.0, prior="hill at 0.9").get_lines()
    assert plots.known(scopes()).get_lines()
    with pytest.raises(InvalidRequest, match="distribution"):
        plots.known(sb.Optimizer(meanfield.crowd()))
    with pytest.raises(InvalidRequest, match="distribution"):
        plots.importance(sb.Optimizer(meanfield.crowd()))


def test_a_policy_that_looks_first_is_sliced_at_a_typical_context() -> None:
    optimizer = scopes()
    for choice in (optimizer.recommend(), *optimizer.recommend().alternatives):
        if choice.scope.contexts and choice.mean is not None:
            found = slices_of(optimizer, scope=choice.scope)
            assert set(choice.scope.contexts) <= set(found.values)
            assert all(found.values[name] == value for name, value in choice(  # type: ignore[operator]
                {name: found.values[name] for name in choice.scope.contexts}).items())  # fmt: skip


def test_an_unknown_variable_is_named() -> None:
    with pytest.raises(InvalidOption, match="variable: 'light'"):
        plots.known(control_sets(), variable="light")


def test_a_finite_domain_has_slices_through_its_points() -> None:
    optimizer = sites()
    advice, found = optimizer.recommend(), slices_of(optimizer)
    piece = found.of("a")
    assert piece.at == [pytest.approx(0.05 * k) for k in range(21)]
    k = int(np.argmin(np.abs(np.array(piece.at) - advice.values["a"])))
    assert piece.mean[k] == pytest.approx(advice.mean)
    assert piece.best is not None
    assert piece.best[0] == advice.values["a"]
    assert piece.best[1] == pytest.approx(advice.mean)
    with pytest.raises(InvalidRequest, match="prior: 'valleys'"):
        plots.known(optimizer, prior="valleys")
    with pytest.raises(InvalidRequest, match="scope"):
        plots.known(optimizer, scope=["a"])


def test_the_joint_posterior_of_points_has_the_variances_of_each() -> None:
    optimizer = sites()
    surface: Any = surface_of(optimizer, PosteriorQuery())
    some = np.arange(0, 200, 7)
    mean, covariance = surface.sites.joint(0, some, surface.time)
    means, deviations = surface.sites.posterior(surface.time)
    np.testing.assert_allclose(mean, means[0, some])
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), deviations[0, some], atol=1e-8)
    assert np.linalg.eigvalsh(covariance).min() > -1e-8


# -- a map -------------------------------------------------------------------------------------------------------------


def test_a_map_shows_what_is_predicted_over_two_variables() -> None:
    study = sb.Optimizer(sb.CostVarying([sb.Float("a", 0, 4), sb.Categorical("b", list("xyz"))], [["a", "b"]]), seed=0)
    random = np.random.default_rng(0)
    for k in range(20):
        a, b = 4 * random.random(), "xyz"[k % 3]
        study.add((a - 1) ** 2 + "xyz".index(b), {"a": a, "b": b})
    axes = plots.contour(study, variables=("a", "b"))
    mesh = axes.collections[0]
    means = mesh.get_array().reshape(3, -1)
    at = np.linspace(0, 4, means.shape[1])
    for row, b in enumerate("xyz"):
        for column in (0, 17, 40):
            predicted = study.predict({"a": float(at[column]), "b": b})
            assert means[row, column] == pytest.approx(predicted.mean)
    assert [label.get_text() for label in axes.get_yticklabels()] == list("xyz")


def test_a_map_of_every_kind_over_variables() -> None:
    for optimizer in (control_sets(), seen(), sites(), scopes()):
        names = slices_of(optimizer).names
        if len(names) > 1:
            axes = plots.contour(optimizer)
            assert names[0] in axes.get_xlabel()
    assert plots.contour(sites(), variables=("b", "a")).get_xlabel() == "b"


@pytest.mark.parametrize("variables", [("a",), ("a", "a"), ("a", "b", "a"), ("a", "nothing")])
def test_a_map_is_of_two_variables(variables: tuple[str, ...]) -> None:
    with pytest.raises(InvalidOption, match="two variables of the model, which has a and b"):
        plots.contour(sites(), variables=variables)


# -- expected and told -------------------------------------------------------------------------------------------------


def test_outcomes_are_drawn_against_what_was_expected_without_them() -> None:
    optimizer = control_sets()
    found = optimizer.cross_validate()
    axes = plots.cross_validation(optimizer)
    drawn = {float(x) for line in axes.get_lines()[:-1] for x in np.ravel(line.get_xdata())}
    assert {each.value for each in found} <= drawn
    within = sum(each.covered for each in found)
    assert axes.get_title() == f"{within} of {len(found)} outcomes within their bounds"


def test_residuals_beyond_the_band_are_those_beyond_their_bounds() -> None:
    optimizer = control_sets()
    found = optimizer.cross_validate()
    (marks_,) = (line for line in plots.residuals(optimizer).get_lines() if line.get_label() == "outcome")
    off = np.abs(np.asarray(marks_.get_ydata(), dtype=float))
    assert [bool(x <= 1.96) for x in off] == [each.covered for each in found]


# -- importance --------------------------------------------------------------------------------------------------------


def additive(weights: tuple[float, ...], rounds: int = 24, product: float = 0.0) -> sb.Optimizer:
    """Squares of so many variables, weighed, all set and observed without noise."""
    names = [f"x{k}" for k in range(len(weights))]
    problem = sb.CostVarying([sb.Float(name, 0, 1) for name in names], [names], costs=[1.0])
    optimizer, random = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    for _ in range(rounds):
        x = random.uniform(size=len(names))
        value = float(np.array(weights) @ x + product * (x[0] - 0.5) * (x[1] - 0.5))
        optimizer.add(value, realised=dict(zip(names, x.tolist(), strict=True)), scope=names)
    return optimizer


def test_shares_are_those_of_variances() -> None:
    """Of `3 x0 + x1`, uniform, x0 has nine tenths of the variance and x1 one tenth."""
    found = importance_of(additive((3.0, 1.0)), PosteriorQuery())
    assert found.names == ("x0", "x1", TOGETHER)
    assert found.share[0] == pytest.approx(0.9, abs=0.05)
    assert found.share[1] == pytest.approx(0.1, abs=0.05)
    assert found.share[2] < 0.05
    assert all(low <= share <= high for low, share, high in zip(found.low, found.share, found.high, strict=True))


def test_a_product_is_what_variables_do_together() -> None:
    found = importance_of(additive((0.0, 0.0), 60, product=10.0), PosteriorQuery())
    assert found.names[-1] == TOGETHER
    assert found.share[-1] > 0.8


def test_more_outcomes_leave_less_doubt() -> None:
    few, many = (
        importance_of(additive((3.0, 1.0, 2.0), 6), PosteriorQuery()),
        importance_of(additive((3.0, 1.0, 2.0), 40), PosteriorQuery()),
    )

    def widest(found: Any) -> float:
        return max(high - low for low, high in zip(found.low, found.high, strict=True))

    assert widest(few) > 2 * widest(many)


def test_importance_of_every_kind() -> None:
    for optimizer in (mixed_control_sets(), seen(), drifting(), sites()):
        axes = plots.importance(optimizer)
        names = [label.get_text() for label in axes.get_yticklabels()]
        assert set(names) == {*optimizer.problem.space.names, TOGETHER}
        assert 0 <= min(bar.get_width() for bar in axes.patches) <= max(bar.get_width() for bar in axes.patches) <= 1
    assert importance_of(sites(), PosteriorQuery()).names[0] == "a", "b does nothing"


def test_one_variable_explains_everything() -> None:
    with pytest.raises(InvalidRequest, match="two variables or more"):
        plots.importance(box())


# -- the page ----------------------------------------------------------------------------------------------------------


def test_the_page_has_a_slice_a_variable_and_what_matters_drawn_when_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    optimizer = mixed_control_sets()
    advice = optimizer.recommend()
    found = list(learned_pictures(optimizer, advice))
    assert [p.title for p in found] == [
        *(f"Expected along {name}" for name in advice.values),
        "Expected over temperature and ph",
        "Importance of each variable",
    ]
    assert all(picture.figure.axes for picture in found)
    monkeypatch.setattr("steerbo.plots.model.on", None)
    titles = list(learned_pictures(optimizer, advice))
    with pytest.raises(TypeError):
        _ = titles[0].figure


def test_the_page_has_none_of_what_has_no_model() -> None:
    nothing = sb.Optimizer(mixed_control_sets().problem)
    assert list(learned_pictures(nothing, nothing.recommend())) == []
    case = meanfield.case("random")
    crowd = case.play(case.start(), 3)
    assert list(learned_pictures(crowd, crowd.recommend())) == []


@pytest.mark.parametrize(("clock", "first"), [(lambda k: 1000.0 + k, 1000.0), (lambda k: None, 0.0)])
@pytest.mark.parametrize("kind", ["time-varying", "cost-varying"])
def test_data_without_a_time_are_drawn_where_the_model_has_them(kind: str, clock: Any, first: float) -> None:
    """Before any round, as of the first one; else as of the last one before. They were drawn at time 0."""
    if kind == "time-varying":
        problem: Any = sb.TimeVarying([sb.Float("x", 0, 1)])
    else:
        problem = sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], drift=sb.Decay(0.05))
    optimizer = sb.Optimizer(problem, seed=1)
    optimizer.add(0.1, {"x": 0.2})
    optimizer.add(0.3, {"x": 0.4})
    for k in range(5):
        suggestion = optimizer.ask(time=clock(k))
        optimizer.tell(suggestion, suggestion.values["x"])
    last = 5.0 if clock(0) is None else clock(4)
    optimizer.add(0.5, {"x": 0.6})
    optimizer.add(0.7, {"x": 0.8, "time": last + 0.5})
    optimizer.amend("added-2", void=True)
    optimizer.ask(time=clock(5))
    found = over_time_of(optimizer, optimizer.recommend(), "x")
    assert found.plays[:3, 0].tolist() == [first, last, last + 0.5]
    assert found.times[0] == first
    assert [optimizer.history.clock_at(name) for name in ("added-1", "added-3")] == [first, last]


def test_time_against_position_is_drawn_where_the_optimum_moves() -> None:
    optimizer = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)]), seed=0)
    for time in range(6):
        suggestion = optimizer.ask(time=float(time))
        optimizer.tell(suggestion, -((suggestion.values["x"] - 0.2 - 0.1 * time) ** 2))
    axes = plots.over_time(optimizer, variable="x")
    assert axes.get_title() == "Expected along x, over time"
    assert axes.get_legend_handles_labels()[1] == ["best at each time", "outcome (same shades)"]
    with pytest.raises(InvalidOption, match=r"^variable: "):
        plots.over_time(optimizer, variable="y")
    still = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), seed=0)
    with pytest.raises(InvalidOption, match=r"^variable: "):
        plots.over_time(still)


@pytest.mark.parametrize("minimize", [False, True])
def test_dark_is_good(minimize: bool) -> None:
    optimizer = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)], minimize=minimize), seed=0)
    for time in range(6):
        suggestion = optimizer.ask(time=float(time))
        optimizer.tell(suggestion, (suggestion.values["x"] - 0.4) ** 2)
    axes = plots.over_time(optimizer)
    _, bar = axes.figure.axes
    settings = plots.settings(optimizer)
    for scale, marked in ((axes.collections[0].cmap, bar), (settings.axes[0].collections[0].cmap, settings.axes[-1])):
        low, high = (sum(scale(end)[:3]) for end in (0.0, 1.0))
        assert (low < high) == minimize
        (good,) = [text for text in marked.texts if text.get_text() == "good"]
        assert (good.get_position()[1] < 0) == minimize, "at the dark end"
    assert shades(optimizer.problem, "Blues") == ("Blues_r" if minimize else "Blues")


def test_a_finite_domain_is_seen_with_hindsight() -> None:
    sharp = SquaredExponential(0.15)
    prior = sb.Prior(sharp, drift=sb.Decay(0.05), noise=0.05)
    optimizer = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1, step=0.05)], [prior]), "random", seed=0)
    for time in range(40):
        suggestion = optimizer.ask(time=float(time))
        optimizer.tell(suggestion, np.exp(-((suggestion.values["x"] - 0.1 - 0.02 * time) ** 2) / 0.03))
    advice = optimizer.recommend()
    best = over_time_of(optimizer, advice, "x").best
    assert best[5] < 0.4 < 0.65 < best[-5], "the best place is that of its time"
    last = surface_of(optimizer, PosteriorQuery(time=39.0))
    before = surface_of(optimizer, PosteriorQuery(time=39.0 - 1e-9))
    np.testing.assert_allclose(before.along(0, {})[1], last.along(0, {})[1], atol=1e-6)


def test_of_a_category_every_choice_is_shown_however_many_there_are() -> None:
    """More than there are points along a number."""
    names = [f"strain {k}" for k in range(400)]
    problem = sb.CostVarying([sb.Categorical("strain", names), sb.Float("ph", 4, 8)], [["strain", "ph"]])
    optimizer, random = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    for _ in range(6):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, float(random.normal()))
    found = slices_of(optimizer).of("strain")
    assert found.at == names
    assert len(found.mean) == len(names)
    assert found.best is not None
    assert found.best[0] in names
