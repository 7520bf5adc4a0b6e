"""A server for people without Python: serve, and the keys that open it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing, nullcontext, suppress
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

import typer

from .._redaction import split_name
from .._text import escape_unprintable
from .._wording import SHELL
from ..core.request import MOST_AT_ONCE
from ..errors import InvalidOption, InvalidStudy, MissingExtra, SteerboError
from ..records import to_dict
from ..storage.keys import KeyRing, keys_of
from ..storage.log import LOGGER
from ..study import DatabaseLog, Study, read_study
from .app import answer, echo, group, print_json
from .arguments import AsJson, Place, open_study, title
from .usage import whole, word

commands = group()
Openers = dict[str, tuple[str, Callable[[], Study]]]
"""Places and openers of studies, by served name."""
LeftOut = dict[str, SteerboError]
"""Errors of the studies that cannot be opened, by name."""
_KEY_DOES = ("create", "list", "revoke")
KEY = "STEERBO_KEY"
"""Of the environment: the key that an assistant's words are said with."""


@commands.command()
def serve(
    studies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STUDY…",
            help="Study files, or logs: files or database URLs. None: all of the current folder.",
            show_default=False,
        ),
    ] = None,
    *,
    host: Annotated[
        str, typer.Option(help="The address to listen on; the default serves this machine only.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            parser=whole("--port", 0, 65535), metavar="NUMBER", help="The port; 0: any free one."
        ),
    ] = 8000,
    keys: Annotated[
        bool,
        typer.Option(
            "--keys", help="Require a key from this machine, too; other machines always need one."
        ),
    ] = False,
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST", help="A host name of this machine that browsers use; repeatable."
        ),
    ] = None,
    forwarded_by: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="The address of a trusted reverse proxy; repeatable."),
    ] = None,
    prepare: Annotated[
        int,
        typer.Option(
            parser=whole("--prepare", 0, MOST_AT_ONCE),
            metavar="NUMBER",
            help="The number of suggestions computed ahead, if one takes more than a second.",
        ),
    ] = 1,
    as_json: AsJson = False,
) -> None:
    """Serve studies as web pages and as JSON over HTTP. Ctrl-C stops it after pending writes.

    Without STUDY all studies of the current folder are served. On this machine studies can be
    created on the page: beside the first study, else in the current folder.
    """
    try:
        from ..serve import StudyPool, application, listen  # an extra
        from ..serve.monitoring import json_lines  # an extra
        from ..serve.pool import MOST_OPEN  # an extra
        from ..serve.server import proxies, reached_at, socket_at  # an extra
    except ImportError as error:
        raise (
            error if isinstance(error, MissingExtra) else MissingExtra(str(error.name), "serve")
        ) from None
    with json_lines() if as_json else nullcontext(), ExitStack() as held:
        believed = proxies(forwarded_by or ())
        say = LOGGER.warning if as_json else partial(echo, err=True)
        heard = LOGGER.warning if as_json else None
        places = studies or _in_folder(Path())
        opened, left_out, logged = _opening(places, MOST_OPEN, say, heard, given=bool(studies))
        keyed = keys or not _is_loopback(host)
        pool = StudyPool(opened, keyed=keyed, prepare=prepare, left_out=left_out, logged=logged)
        pool.find = partial(_begun_since, studies, heard)
        pool.folder = _folder(studies or [])
        if pool.keyed and not any(map(keys_of, {place for place, _ in opened.values()})):
            missing = "no key exists yet: steerbo key create STUDY --name YOU --may amend"
            LOGGER.warning(missing) if as_json else echo(missing, err=True)
        listening = held.enter_context(closing(socket_at(host, port)))
        shown = f"[{host}]" if ":" in host else host
        port = listening.getsockname()[1]
        url = f"http://{shown}:{port}/"
        reached = reached_at(listening)
        pool.reached_at = reached and next(iter(name or ()), reached)
        if as_json:
            print_json({"url": url, "studies": list(opened), "keys": pool.keyed})
        else:
            echo(f"{url}  (Ctrl-C ends it)", err=True)
            if pool.reached_at not in ("", shown):
                echo(f"http://{pool.reached_at}:{port}/  from other machines", err=True)
        listen(application(pool, tuple(name or ())), listening, believed)


def _opening(
    places: list[str],
    most: int,
    say: Callable[[str], None],
    heard: Callable[[str], None] | None = None,
    *,
    given: bool = True,
    served: Callable[[str, str], bool] = lambda *_: False,
) -> tuple[Openers, dict[str, str], dict[str, str]]:
    """Openers of the studies that can be opened, and their names in their logs.

    The others are reported and left out, with the reasons by name: the second of three. Of a log
    with more studies than may be open at once, those beyond are opened when somebody asks for them.

    Args:
        places: study files and logs, as they were given.
        most: number of studies that may be open at once.
        say: reports a study that is left out.
        heard: takes the reports of an opened study; None: standard error.
        given: whether somebody named them.
        served: whether a study is served already, by its log and its name there; these are left alone.

    Raises:
        SteerboError: none of those that were named can be opened: why the last one cannot.
    """
    studies, left_out, named = _openers(places, heard)
    found: Openers = {}
    logged: dict[str, str] = {}
    for name, (place, open_one) in studies.items():
        if served(place, named.get(name, "")):
            continue
        if len(found) >= most and name in named:
            found[name], logged[name] = (place, open_one), named[name]
            continue
        try:
            with open_one() as study:
                logged[name] = str(getattr(study.log, "name", name))
        except SteerboError as error:
            left_out[name] = error
        else:
            found[name] = place, open_one
    if left_out and not found and given:
        raise [*left_out.values()][-1]
    reasons = {name: _said(error) for name, error in left_out.items()}
    for name, reason in reasons.items():
        say(f"{name} is not served: {reason}")
    return found, reasons, logged


def _said(error: SteerboError) -> str:
    """The message of an error, on one line."""
    return escape_unprintable(" ".join(error.worded(SHELL).split()))


def _begun_since(
    places: list[str] | None,
    heard: Callable[[str], None] | None,
    served: Callable[[str, str], bool],
) -> tuple[Openers, dict[str, str], dict[str, str]]:
    """Openers of the studies at these places that are not served yet, as `_opening` gives them."""
    from ..serve.pool import MOST_OPEN  # an extra

    try:
        return _opening(
            places or _in_folder(Path()),
            MOST_OPEN,
            lambda _: None,
            heard,
            given=False,
            served=served,
        )
    except SteerboError as error:  # two of one name, say: these cannot be told apart
        return {}, {"studies begun since": _said(error)}, {}


def _in_folder(folder: Path) -> list[str]:
    """Studies of a folder: study files whose log is there, and logs without one; no two of the same title."""
    found: list[Path] = []
    logs: set[Path] = set()
    for file in sorted(folder.glob("*.toml")):
        with suppress(SteerboError):  # another program's, or one that is still being written
            if (log := read_study(file).log).exists():
                found.append(file)
                logs.add(log.resolve())
    for file in sorted(folder.glob("*.db")):
        told = file.resolve() in logs or any(file.stem == other.stem for other in found)
        with suppress(SteerboError):
            if not told and _names(str(file)):
                found.append(file)
    return [str(file) for file in found]


def _openers(
    places: list[str], say: Callable[[str], None] | None = None
) -> tuple[Openers, LeftOut, dict[str, str]]:
    """Openers of the studies by served name, all of a log given without a name.

    Then places that cannot be read, and names in logs, where the place says them.

    Raises:
        InvalidStudy: a study is given twice, or two have the same name also with their folders.
    """
    found: Openers = {}
    left_out: LeftOut = {}
    named: dict[str, str] = {}
    read: list[tuple[str, str, SteerboError | None]] = []  # log, study, and why it cannot be read
    for place in places:
        try:
            log, each = _studies_at(place)
        except SteerboError as error:
            read.append(("", place, error))
        else:
            read += [(log, one, None) for one in each]
    alike = Counter(title(one) for _, one, _ in read)
    for log, one, wrong in read:
        shown = title(one) if alike[title(one)] == 1 else _title_with_folder(one)
        if shown in found or shown in left_out:
            hint = "Give each study once; studies of the same name in folders of the same name at different ports."
            raise InvalidStudy("study", one, "studies of different names", hint)
        if wrong is not None:
            left_out[shown] = wrong
        else:
            found[shown] = log, lambda one=one: _opened(one, say)  # type: ignore[misc]
            if in_log := split_name(one)[1]:
                named[shown] = in_log
    return found, left_out, named


def _title_with_folder(place: str) -> str:
    """Title of a study whose file is called as another one's: with its folder before it; of a log with names, as it is.

    >>> _title_with_folder("oven/study.toml"), _title_with_folder("postgresql://lab/steerbo#oven")
    ('oven-study', 'oven')
    """
    url, _ = split_name(place)
    return title(place) if "://" in url else f"{Path(url).absolute().parent.name}-{title(place)}"


def _studies_at(place: str) -> tuple[str, list[str]]:
    """Log of a study file or of a log as it was given, and the places of its studies."""
    url, only = split_name(place)
    if place.endswith(".toml"):
        return str(read_study(place).log), [place]
    names = [] if only else _names(url)
    if len(names) <= 1:
        return url, [place]
    log = url if "://" in url else f"sqlite:///{url}"
    return url, [f"{log}#{name}" for name in names]


def _opened(place: str, say: Callable[[str], None] | None) -> Study:
    """The study by the limits of its file; by the log's where one was lowered, or bounds were widened, on the page."""
    try:
        return open_study(place, asking=True, tolerated="widened", say=say)
    except InvalidStudy as error:
        if not place.endswith(".toml") or "study." not in error.field:
            raise
        return open_study(place, tolerated="widened", say=say)


def _folder(places: list[str]) -> Path:
    """Folder of studies created on the page: that of the first file."""
    files = [Path(split_name(place)[0]) for place in places if "://" not in place]
    return (files[0].parent if files else Path()).absolute()


def _names(url: str) -> list[str]:
    with closing(DatabaseLog(url, make=False)) as log:
        return log.names()


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


@commands.command()
def mcp(
    studies: Annotated[
        list[str],
        typer.Argument(
            metavar="STUDY…",
            help="Study files, or logs: files or database URLs.",
            show_default=False,
        ),
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Serve studies to an assistant over the Model Context Protocol. It listens on standard input.

    Standard output is the protocol; with `--json` errors before it starts are a document. A study
    that cannot be opened is left out, unless it is the only one. All rights are granted, or with a
    key in STEERBO_KEY those of the key, under its name.
    """
    try:
        import anyio  # which comes with the extra

        from ..serve import StudyPool  # an extra
        from ..serve.auth import visitor_by  # an extra
        from ..serve.pool import MOST_OPEN  # an extra
        from ..serve.tools import speak  # an extra
    except ImportError as error:
        raise (
            error if isinstance(error, MissingExtra) else MissingExtra(str(error.name), "mcp")
        ) from None
    opened, left_out, logged = _opening(studies, MOST_OPEN, partial(echo, err=True))
    text = os.environ.get(KEY, "")
    with closing(StudyPool(opened, keyed=bool(text), left_out=left_out, logged=logged)) as pool:
        if visitor_by(pool, text) is None:
            hint = (
                "`steerbo key create` makes one."
                + f" Not served: {', '.join(left_out)}." * bool(left_out)
            )
            raise InvalidOption(KEY, "…", "a key of one of these studies", hint)
        anyio.run(speak, pool, text)


@commands.command()
def key(
    what: Annotated[
        str,
        typer.Argument(
            metavar="|".join(_KEY_DOES),
            parser=word("WHAT", _KEY_DOES),
            help="The action.",
            show_default=False,
        ),
    ],
    study: Place,
    id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The key to revoke.", show_default=False)
    ] = None,
    *,
    may: Annotated[
        str, typer.Option(help="The rights: read; play (ask and tell, too); amend (correct, too).")
    ] = "play",
    name: Annotated[
        str | None, typer.Option(help="The holder of the key, as named in the log.")
    ] = None,
    days: Annotated[
        int | None, typer.Option(help="Days until a new key ends; left out: it never ends.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create, list or revoke keys to a served study. A new key is shown once."""
    with open_study(study, tolerated="any") as going:
        logged = str(getattr(going.log, "name", "study"))
    place = str(read_study(study).log) if study.endswith(".toml") else study
    with closing(KeyRing(Path(place) if "://" not in place else place)) as ring:
        if what == "list":
            found = [each for each in ring.list() if each.study == logged]
            lines = [
                f"{k.id}  {k.name} may {k.may}, since {k.created}"
                + f"; {'revoked' if k.ended else 'until'} {k.revoked}" * bool(k.revoked)
                for k in found
            ]
            answer(
                as_json, {"keys": [to_dict(each) for each in found]}, "\n".join(lines) or "no keys"
            )
        elif what == "create":
            if name is None:
                raise InvalidOption(
                    "--name", None, "whose key it is", "It stands in the log beside what they do."
                )
            made, text = ring.create(logged, name, may, days)
            answer(as_json, {**to_dict(made), "key": text}, text)
            echo(
                f"{name} may {may}. This is shown only once; revoke it by: steerbo key revoke STUDY {made.id}",
                err=True,
            )
        else:
            if id is None:
                raise InvalidOption(
                    "ID", None, "the key's beginning, as `steerbo key list` shows it"
                )
            gone = ring.revoke(id)
            answer(as_json, to_dict(gone), f"{gone.id} opens nothing any more")
