"""The page: what to do next, one form to answer it, and nothing that a user wrote becomes markup."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

import steerbo as sb
from steerbo.study import Study
from tests.serve.players import KINDS, Person, _text, bearer, key_for, of_kind, oven, served


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("wing", KINDS)
def test_a_whole_study_by_forms_is_what_python_would_have_played(wing: str, tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, wing, rounds=4)
    with served(place) as client:
        person = Person(client)
        for _ in range(4):
            person.play(case)
        assert "Finished: all rounds are made" in person.text
        assert 'id="ask"' not in person.text
    quiet = case.start(rounds=4)
    case.play(quiet, 4)
    with Study.open(place) as played:
        assert [r.suggestion.values for r in played.history] == [r.suggestion.values for r in quiet.history]
        assert [r.outcome for r in played.history] == [r.outcome for r in quiet.history]


def test_a_typo_a_failure_and_a_correction(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        person = Person(client)
        person.send("ask", **{"seen:weather": "12"})
        (token,) = person.open
        known = {"realised:oven": "150", "realised:speed": "0.5"}
        wrong = person.send(f"rounds/{token}/tell", value="abc", cost="1", **known)
        assert wrong.status_code == 422
        assert "Value: &#39;abc&#39; is not allowed" in wrong.text
        assert re.search('name="cost" value="1"', wrong.text), "nothing is typed again"
        assert re.search('name="value" value="abc"[^>]* aria-invalid="true"', wrong.text), "it is said at the field"
        assert person.send(f"rounds/{token}/fail", reason="it leaked", cost="2").status_code == 303
        assert "1 round, 1 broke" in person.text
        assert "it leaked" in person.text
        assert person.send(f"rounds/{token}/amend", value="3", cost="2", **known).status_code == 303
        assert "1 round, 1 broke" not in person.text
        assert client.get("/v1/studies/oven/status").json()["spent"] == 2.0


def test_a_form_that_is_sent_twice_counts_once(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        person = Person(client)
        first = person.hidden()
        for _ in range(3):
            client.post("/page/oven/ask", data={**first, "seen:weather": "12"})
        (token,) = {r["token"] for r in person.rounds()}
        person.read()
        known = {"realised:oven": "150", "realised:speed": "0.5", "value": "1", "cost": "1"}
        assert [person.send(f"rounds/{token}/tell", **known).status_code for _ in range(2)] == [303, 303]
        assert person.send(f"rounds/{token}/tell", **{**known, "value": "2"}).status_code == 409
        assert client.get("/v1/studies/oven/status").json()["spent"] == 1.0


def test_numbers_are_read_and_written_as_the_reader_does(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        german = Person(client, languages="de-DE,de;q=0.9")
        assert german.send("ask", **{"seen:weather": "12,5"}).status_code == 303
        assert "weather 12,5 °C" in german.text
        (token,) = german.open
        known = {"realised:oven": "150,5", "realised:speed": "0,5"}
        assert german.send(f"rounds/{token}/tell", value="1,234", cost="1,5", **known).status_code == 303
        (played,) = german.rounds()
        assert played["outcome"]["value"] == 1.234
        assert played["outcome"]["cost"] == 1.5
        english = Person(client)
        english.send("ask", **{"seen:weather": "11"})
        (token,) = english.open
        unsure = english.send(f"rounds/{token}/tell", value="1,234", cost="1", **known)
        assert "read in one way only: 1.234 or 1234" in unsure.text
        unsure = english.send(f"rounds/{token}/tell", value="1.234", cost="1", **known)
        assert "read in one way only: 1,234 or 1234" in unsure.text, "others of its numbers have commas"


@pytest.mark.parametrize("language", ["es-PE", "es-DO"])
def test_a_region_with_a_decimal_point_is_asked_what_its_comma_is(language: str, tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        person = Person(client, languages=f"{language},es;q=0.9")
        person.send("ask", **{"seen:weather": "11"})
        (token,) = person.open
        known = {"realised:oven": "150", "realised:speed": "0.5"}
        unsure = person.send(f"rounds/{token}/tell", value="1,250", cost="1", **known)
        assert unsure.status_code == 422
        assert "read in one way only: 1.250 or 1250" in unsure.text
        assert "outcome" not in person.rounds()[0]
        assert person.send(f"rounds/{token}/tell", value="1250", cost="1", **known).status_code == 303
        assert person.rounds()[0]["outcome"]["value"] == 1250.0


def test_what_users_wrote_is_text(tmp_path: Path) -> None:
    name = '<script>alert("x")</script>'
    problem = sb.CostVarying([sb.Float(name, 0, 1, law=sb.Uniform(), unit='"><b>')], [[name]])
    Study.create(tmp_path / "nasty.db", problem, "random", rounds=3).close()
    with served(tmp_path / "nasty.db", name="a/b <i>") as client:
        start = client.get("/")
        assert start.headers["location"] == "/page/a%2Fb%20%3Ci%3E"
        client.post("/v1/studies/a%2Fb%20%3Ci%3E/ask")
        text = client.get(start.headers["location"])
        assert text.status_code == 404 or "<script>alert" not in text.text


def test_without_a_right_there_is_no_form(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with served(place, keyed=True) as client:
        reading, playing = (bearer(key_for(place, may)) for may in ("read", "play"))
        assert client.post("/v1/studies/oven/ask", headers=playing, json={"context": {"weather": 1}}).status_code == 200
        assert "Save</button>" in client.get("/page/oven", headers=playing).text
        seen = client.get("/page/oven", headers=reading).text
        assert "Save</button>" not in seen
        assert 'id="ask"' not in seen
        assert client.get("/page/oven").status_code == 401


def test_a_person_enters_with_a_key_and_leaves(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with served(place, keyed=True) as client:
        form = re.search(r'name="form" value="([0-9a-f]+)"', client.get("/").text)
        assert form is not None
        wrong = client.post("/key", data={"form": form[1], "key": "steerbo_x_y"})
        assert wrong.status_code == 303
        assert "opens nothing here" in client.get("/").text
        client.post("/key", data={"form": form[1], "key": key_for(place, "play", "ann")})
        cookies = [c for c in client.cookies.jar if c.name == "steerbo_key"]
        assert [c.has_nonstandard_attr("HttpOnly") for c in cookies] == [True]
        person = Person(client)
        person.send("ask", **{"seen:weather": "3"})
        asked = client.get("/v1/studies/oven/events").json()["events"][-1]
        assert (asked["kind"], asked["by"]) == ("asked", "ann")
        timeline = client.get("/page/oven/timeline").text
        assert f'<td class="when">{asked["when"][:16].replace("T", " ")}</td><td>ann</td><td>round 1 begun' in timeline
        client.post("/leave", data={"form": person.hidden()["form"]})
        assert client.get("/page/oven").status_code == 401


def test_the_policy_is_applied_on_the_page(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        person = Person(client, languages="fr")
        person.send("ask", **{"seen:weather": "12"})
        (token,) = person.open
        known = {"realised:oven": "150", "realised:speed": "0,5", "value": "1", "cost": "1"}
        person.send(f"rounds/{token}/tell", **known)
        said = client.get("/page/oven/policy", params={"given:weather": "12,5"}, headers=person.headers)
        assert said.status_code == 200
        assert "<p>1 is expected.</p>" in said.text
        said = client.get("/page/oven/policy", params={"given:weather": "12,5"}, headers={"Accept-Language": "en"})
        assert "<p>1 is expected.</p>" in said.text
        wrong = client.get("/page/oven/policy", params={"given:weather": "warm"}, headers=person.headers)
        assert wrong.status_code == 422
        assert "weather: &#39;warm&#39; is not allowed" in wrong.text
        assert "context.weather" not in wrong.text


def test_other_sites_forms_are_refused(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        person = Person(client)
        plain = {"seen:weather": "12", "rounds": "0"}
        assert client.post("/page/oven/ask", data=plain).status_code == 403
        assert client.post("/page/oven/ask", data={**plain, "form": "x"}).status_code == 403
        for header in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            assert client.post("/page/oven/ask", data={**plain, **person.hidden()}, headers=header).status_code == 403
        assert person.rounds() == []


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("wing", KINDS)
def test_what_was_said_last_is_taken_back(wing: str, tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, wing, rounds=4)
    with served(place) as client:
        person = Person(client)
        person.play(case)
        (before,) = person.rounds()
        path = f"rounds/{before['token']}/undo"
        assert "Nothing is learned from the round then; what it cost stays spent" in person.text
        assert person.send(path, said="1").status_code == 303
        (taken,) = person.rounds()
        assert taken["state"] == "void"
        assert taken["charged"] == before["charged"], "what was spent is spent"
        again = person.send(path, said="1")
        assert again.status_code == 409, "a button that was pressed twice takes back one word"
        assert "it was changed meanwhile" in again.text
        assert person.send(path, said="2").status_code == 303
        (after,) = person.rounds()
        assert (after["state"], after["outcome"]) == ("told", before["outcome"])
        assert client.get("/v1/studies/oven/events").json()["events"][-1]["reason"] == "taken back"


def test_taking_back_needs_the_right_to_amend(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with served(place, keyed=True) as client:
        playing = {**bearer(key_for(place, "play")), "Accept-Language": "en"}
        (asked,) = client.post("/v1/studies/oven/ask", headers=playing, json={"context": {"weather": 1}}).json()[
            "suggestions"
        ]
        told = {"value": 1, "cost": 1, "realised": {"oven": 150, "speed": 0.5}}
        client.post(f"/v1/studies/oven/rounds/{asked['token']}/tell", headers=playing, json=told)
        seen = client.get("/page/oven", headers=playing).text
        assert "Undo" not in seen
        form = re.search(r'name="form" value="([0-9a-f]+)"', seen)
        assert form is not None
        sent = {"form": form[1], "said": "1"}
        answer = client.post(f"/page/oven/rounds/{asked['token']}/undo", headers=playing, data=sent)
        assert answer.status_code == 403


WRONG = ["abc", "1e999", "nan", "1,234", "x" * 5000, "<script>alert(1)</script>", "\x00", "😀", "[1, 2]", "true"]
FORM = re.compile(r'<form method="post" action="([^"]+)"[^>]*>(.*?)</form>', re.DOTALL)


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("wing", KINDS)
def test_wrong_input_in_every_field_is_refused_in_words_for_people(wing: str, tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, wing, rounds=6)
    with served(place) as client:
        person = Person(client)
        person.play(case)
        asked = {f"ask:{name}": _text(x) for name, x in case.request(2).items()}
        assert person.send("ask", **asked).status_code == 303
        count = client.get("/v1/studies/oven/events").json()["count"]
        tried = 0
        for action, body in FORM.findall(person.text):
            names = [unescape(name) for name in re.findall(r'name="([^"]+)"', body)]
            numbers = [name for name in names if name in ("value", "cost", "charge") or name.partition(":")[2]]
            for name in numbers:
                for wrong in WRONG:
                    fields = {**person.hidden(), "value": "1", name: wrong}
                    answer = client.post(unescape(action), data=fields, headers=person.headers)
                    assert answer.status_code == 422, (action, name, wrong)
                    (said, *_) = re.findall(r'class="wrong"[^>]*>(.*?)</(?:ul|p)>', answer.text, re.DOTALL)
                    assert "suggestion" not in said, "no Python"
                    assert "None" not in said
                    assert "<script" not in said
                    tried += 1
        assert tried >= 4 * len(WRONG)
        assert client.get("/v1/studies/oven/events").json()["count"] == count


MEASURED = {"realised:oven": "150", "realised:speed": "0.5"}


def asked(person: Person, weather: str = "12") -> str:
    person.send("ask", **{"seen:weather": weather})
    (token,) = person.open
    return token


@pytest.mark.parametrize("first", ["tell", "fail", "abandon"])
def test_what_was_typed_is_on_the_page_when_another_was_quicker(first: str, tmp_path: Path) -> None:
    """Also without a script."""
    with served(oven(tmp_path)) as client:
        ann, bob = Person(client), Person(client)
        token = asked(ann)
        given = {"tell": {"value": "3", "cost": "1", **MEASURED}, "fail": {"cost": "1"}, "abandon": {}}[first]
        assert bob.send(f"rounds/{token}/{first}", **given).status_code == 303
        late = ann.send(f"rounds/{token}/fail", reason="the door was open", cost="2.5")
        if first == "abandon":
            assert late.status_code == 303, "the library takes what comes late"
            return
        assert late.status_code == 409
        assert f'id="kept-{token}"' in late.text
        assert "the door was open" in late.text
        assert re.search('name="cost" value="2.5"', late.text)
        assert "It gave 3 for 1." in late.text or "It broke." in late.text
        said = re.search('name="said" value="([0-9]+)"', late.text)
        assert said is not None
        mine = ann.send(f"rounds/{token}/amend", said=said[1], value="5.5", cost="2.5", **MEASURED)
        assert mine.status_code == 303
        assert [r["outcome"]["value"] for r in ann.rounds()] == [5.5]


def test_two_corrections_do_not_cover_each_other(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        ann = Person(client)
        token = asked(ann)
        ann.send(f"rounds/{token}/tell", value="3", cost="1", **MEASURED)
        form = client.get(f"/page/oven/rounds/{token}").text
        assert re.search('name="value" value="3"', form)
        assert re.search('name="realised:oven" value="150"', form)
        assert ann.send(f"rounds/{token}/amend", said="1", value="4").status_code == 303
        late = ann.send(f"rounds/{token}/amend", said="1", value="5")
        assert late.status_code == 409
        assert "It gave 4 for 1." in late.text
        assert re.search('name="value" value="5"', late.text)
        count = client.get("/v1/studies/oven/events").json()["count"]
        assert ann.send(f"rounds/{token}/amend", said="2", value="4", cost="1", **MEASURED).status_code == 303
        assert client.get("/v1/studies/oven/events").json()["count"] == count, "nothing was changed"


def test_what_was_seen_is_not_swallowed_by_a_round_that_another_asked_for(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        ann, bob = Person(client), Person(client)
        before = ann.hidden()
        asked(bob, "4")
        late = client.post("/page/oven/ask", data={**before, "seen:weather": "12"}, headers=ann.headers)
        assert late.status_code == 409
        assert "round 1 was begun in the meantime" in late.text
        assert re.search('name="seen:weather" value="12"', late.text)
        assert len(ann.rounds()) == 1


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_unlikely_numbers_are_asked_about_once(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        person = Person(client)
        for value in ("3", "10", "5", "4"):
            person.send(f"rounds/{asked(person)}/tell", value=value, cost="1", **MEASURED)
        token = asked(person)
        given = {"value": "740", "cost": "1", **MEASURED, "realised:oven": "600"}
        doubted = person.send(f"rounds/{token}/tell", **given)
        assert doubted.status_code == 409
        assert "value = 740 is far from the others, 3 to 10" in doubted.text
        assert "oven = 600 is far outside its range, 100 to 200 °C" in doubted.text
        assert "Save anyway" in doubted.text
        sure = re.search('name="sure" value="([0-9a-f]+)"', doubted.text)
        assert sure is not None
        other = person.send(f"rounds/{token}/tell", **{**given, "value": "7400"}, sure=sure[1])
        assert other.status_code == 409, "that was about other numbers"
        assert person.send(f"rounds/{token}/tell", **given, sure=sure[1]).status_code == 303
        assert person.rounds()[-1]["outcome"]["value"] == 740.0


def test_a_doubt_names_the_button_that_is_there(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        doubted = Person(client).send("ask", **{"seen:weather": "600"})
        assert "or press “That is right: what next?”." in doubted.text
        assert ">That is right: what next?</button>" in doubted.text


def test_a_look_is_doubted_and_taken_back(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        person = Person(client)
        doubted = person.send("ask", **{"seen:weather": "600"})
        assert doubted.status_code == 409
        assert "weather = 600 is far outside its range" in doubted.text
        assert person.rounds() == []
        token = asked(person)
        assert 'value="a value that was seen before was mistyped"' in person.text
        assert person.send(f"rounds/{token}/abandon").status_code == 303
        assert [r["state"] for r in person.rounds()] == ["abandoned"]


def test_a_mistyped_look_is_taken_back_and_the_round_goes_on(tmp_path: Path) -> None:
    problem = sb.Causal(
        sb.CausalGraph.from_text("age -> dose; age -> relief; dose -> relief", target="relief", intervenable=["dose"]),
        [sb.Float("age", 20, 90), sb.Float("dose", 0, 1)],
    )
    Study.create(tmp_path / "study.db", problem, "random", rounds=9).close()
    with served(tmp_path / "study.db") as client:
        person = Person(client)
        person.send("ask")
        (token,) = person.open
        doubted = person.send(f"rounds/{token}/decide", **{"context:age": "610"})
        assert "age = 610 is far outside its range, 20 to 90" in doubted.text
        assert person.send(f"rounds/{token}/decide", **{"context:age": "16"}).status_code == 303
        assert re.search('name="context:age" value="16"', person.text), "as it was filled in"
        same = person.send(f"rounds/{token}/again", **{"context:age": "16"})
        assert same.status_code == 422
        assert "another value than the one that was given" in same.text
        assert "age = 610 is far" in person.send(f"rounds/{token}/again", **{"context:age": "610"}).text
        assert person.send(f"rounds/{token}/again", **{"context:age": "61"}).status_code == 303
        (played,) = person.rounds()
        assert (played["state"], played["context"]) == ("open", {"age": 61.0})
        bob = person.send(f"rounds/{token}/tell", value="0.25", cost="", set="0f" * 8)  # who has set another dose
        assert bob.status_code == 409
        assert re.search(r"a look was corrected meanwhile, and dose [\d.]+ is to be set now", bob.text)
        assert 'name="value" value="0.25"' in bob.text
        late = person.send(f"rounds/{token}/tell", value="0.5", cost="", then="")
        assert late.status_code == 303
        kept = person.send(f"rounds/{token}/again", **{"context:age": "62"})
        assert kept.status_code == 409
        assert "<dd>62</dd>" in kept.text, "what was typed is on the page"


def test_saving_can_ask_for_the_next_round_at_once(tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, "cost-varying")
    with served(place) as client:
        person = Person(client)
        person.send("ask")
        (token,) = person.open
        outcome = case.outcome(person.suggestion(token))
        realised = {f"realised:{name}": _text(x) for name, x in outcome["realised"].items()}
        given = {"value": _text(outcome["value"]), "cost": _text(outcome["cost"]), **realised}
        assert person.send(f"rounds/{token}/tell", **given, then="next").status_code == 303
        assert [r["state"] for r in person.rounds()] == ["told", "open"]


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("wing", KINDS)
def test_what_a_click_shows_has_its_own_address(wing: str, tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, wing)
    with served(place) as client:
        person = Person(client)
        for _ in range(3):
            person.play(case)
        (first, *_) = person.rounds()
        for path in ("", "/learned", "/progress", "/rounds", "/rounds?q=round&most=5", f"/rounds/{first['token']}"):
            answer = client.get(f"/page/oven{path}")
            assert answer.status_code == 200, path
        if wing == "cost-varying":
            assert 'class="band"' in client.get("/page/oven/learned").text
            assert client.get("/page/oven/learned?along=nothing").status_code == 422
        for name, start in (("rounds.csv", "token,round"), ("events.jsonl", '{"'), ("report.html", "<!doctype")):
            answer = client.get(f"/page/oven/{name}")
            assert answer.text.startswith(start), name
            assert answer.headers["content-disposition"].startswith("attachment")


def test_of_many_outcomes_the_page_comes_before_what_is_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, case = of_kind(tmp_path, "cost-varying")
    monkeypatch.setattr("steerbo.page.archive.MANY", 1)
    with served(place) as client:
        person = Person(client)
        for _ in range(3):
            person.play(case)
        assert "Compute it" in person.read()
        whole = client.get("/page/oven?whole=1").text
        assert "Compute it" not in whole
        assert "Expected" in whole


def test_a_round_that_broke_costs_what_is_stated(tmp_path: Path) -> None:
    problem = sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], costs=[2])
    Study.create(tmp_path / "study.db", problem, "random", budget=9.0).close()
    with served(tmp_path / "study.db") as client:
        person = Person(client)
        person.send("ask")
        (token,) = person.open
        form = next(body for action, body in FORM.findall(person.text) if action.endswith("/fail"))
        assert 'name="charge"' not in form, "there is nothing to guess"
        assert person.send(f"rounds/{token}/fail", reason="a fuse", cost="").status_code == 303
        assert [r["charged"] for r in person.rounds()] == [2.0]


def test_a_correction_with_a_typing_error_was_not_dealt_with_by_another(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        ann = Person(client)
        token = asked(ann)
        ann.send(f"rounds/{token}/tell", value="3", cost="1", **MEASURED)
        wrong = ann.send(f"rounds/{token}/amend", said="1", value="abc")
        assert wrong.status_code == 422
        assert re.search('name="value" value="abc"', wrong.text)
        assert "Not saved: round 1" in wrong.text
        assert "meanwhile" not in wrong.text
        late = ann.send(f"rounds/{token}/tell", value="4", cost="1", then="next", **MEASURED)
        assert late.status_code == 409
        assert "Not saved: round 1 was dealt with meanwhile" in late.text
        assert "<dd>next</dd>" not in late.text, "a button is nothing that was typed"


def test_what_is_typed_on_the_page_of_an_open_round_is_still_there_after_a_typing_error(tmp_path: Path) -> None:
    """There all variables and the cost have fields; among the rounds to do only those that the outcome needs."""
    place = tmp_path / "oven.db"
    stirrer = sb.Categorical("stirrer", ["slow", "fast"])
    problem = sb.CostVarying([stirrer, sb.Float("oven", 100, 200)], [["stirrer", "oven"]])
    Study.create(place, problem, "random", rounds=3).close()
    with served(place) as client:
        ann = Person(client)
        ann.send("ask")
        (token,) = ann.open
        form = client.get(f"/page/oven/rounds/{token}").text
        assert 'name="cost"' in form
        wrong = ann.send(f"rounds/{token}/tell", value="abc", cost="2.5")
        assert wrong.status_code == 422
        assert 'name="value" value="abc"' in wrong.text
        assert 'name="cost" value="2.5"' in wrong.text
