"""Chromium, driven through its own protocol over pipes: pages are opened, forms filled in, buttons clicked."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HUNG = 300.0  # seconds without a word in answer
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

_AIM = """async selector => {
  const wanted = target => {
    const e = document.querySelector(selector);
    return !!e && [e, ...(e.labels ?? [])].some(each => each.contains(target));
  };
  let before = {}, still = 0, found;
  for (let i = 0; i < 300; i++) {
    const e = document.querySelector(selector);
    e.scrollIntoView({block: "center", behavior: "instant"});
    const b = e.getBoundingClientRect(), x = b.left + b.width / 2, y = b.top + b.height / 2;
    still = b.x === before.x && b.y === before.y ? still + 1 : 0;
    before = b;
    found = {x, y, free: wanted(document.elementFromPoint(x, y))};
    if (found.free && still > 2) break;
    await new Promise(done => setTimeout(done, 16));
  }
  window.missed = false;
  const guard = event => {
    if (event.type === "mousedown") window.missed = !wanted(event.target);
    if (window.missed) { event.preventDefault(); event.stopImmediatePropagation(); }
    if (event.type === "click" || event.type === "mouseup" && window.missed) setTimeout(off);
  };
  const kinds = ["pointerdown", "mousedown", "mouseup", "click"];
  const off = () => { for (const kind of kinds) window.removeEventListener(kind, guard, true); };
  for (const kind of kinds) window.addEventListener(kind, guard, true);
  return found;
}"""
"""Waits until a selector's element stands still, returns its middle, and guards the next click there."""


class Tab:
    """One page of a browser."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session

    def send(self, method: str, **more: Any) -> Any:
        return self.browser.send(method, self.session, **more)

    def run(self, script: str) -> Any:
        """The value of an expression on the page."""
        done = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def open(self, url: str) -> None:
        self.run("window.before = {}")  # for a moment the page of before may still answer
        other = "loaderId" in self.send("Page.navigate", url=url)  # else another place on the same page
        self.wait(f"document.readyState === 'complete' && !({json.dumps(other)} && window.before)")

    def wait(self, script: str, seconds: float = 60.0) -> Any:
        """Until an expression is true."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if found := self.run(script):
                    return found
            except AssertionError:  # the page was exchanged meanwhile
                pass
            time.sleep(0.01)
        raise AssertionError(f"{script}: never\n{self.run('document.body.innerText')}")

    def fill(self, selector: str, text: str) -> None:
        field = json.dumps(selector)
        self.run(
            f"(() => {{ const f = document.querySelector({field}); f.focus(); f.value = {json.dumps(text)}; "
            "f.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )

    def text(self, selector: str) -> str:
        """What is written there, or in the field; "" where there is no such thing."""
        found = f"document.querySelector({json.dumps(selector)})"
        return str(self.run(f"{found}?.value ?? {found}?.innerText ?? ''"))

    def has(self, selector: str) -> bool:
        return bool(self.run(f"!!document.querySelector({json.dumps(selector)})"))

    def click(self, selector: str, *, mouse: bool = False) -> None:
        """Click, and wait for what comes of it: another page, or that a form is sent and its answer shown."""
        sent = "document.documentElement.dataset.sent"
        # Between two pages there is a document that is complete and has no element at all.
        shown = "document.documentElement && document.readyState === 'complete'"
        self.wait(f"{shown} && !!document.querySelector({json.dumps(selector)})")
        self.run(f"window.before = {{sent: {sent}}}")
        (self.point if mouse else self.press)(selector)
        self.wait(f"{shown} && (!window.before || {sent} !== window.before.sent)")

    def choose(self, selector: str, file: Path) -> None:
        """Choose a file as in the browser's window for that."""
        found = self.send("Runtime.evaluate", expression=f"document.querySelector({selector!r})")["result"]
        self.send("DOM.setFileInputFiles", files=[str(file)], objectId=found["objectId"])

    def press(self, selector: str) -> None:
        """Click, and wait for nothing."""
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def point(self, selector: str) -> None:
        """Click as a mouse does, when the page stands still: what is hidden or covered cannot be clicked.

        Where something moved between the look and the click, the page never hears of that click, and another follows.
        """
        self.send("Page.bringToFront")  # another tab is not even drawn
        for _ in range(5):
            place = self.run(f"({_AIM})({json.dumps(selector)})")
            assert place["free"], (selector, "lies under another element")
            at = {"x": place["x"], "y": place["y"], "button": "left", "clickCount": 1}
            for kind in ("mousePressed", "mouseReleased"):
                self.send("Input.dispatchMouseEvent", type=kind, **at)
            if not self._missed():
                return
        raise AssertionError(f"{selector}: moved away from five clicks")

    def _missed(self) -> bool:
        """Whether the last click met something else; where it led to another page it did not."""
        try:
            return bool(self.run("window.missed"))
        except AssertionError:  # the page was exchanged meanwhile
            return False

    def write(self, selector: str, text: str) -> None:
        """Point at a field, and type."""
        self.point(selector)
        self.run("document.activeElement.select?.()")
        self.send("Input.insertText", text=text)

    def size(self, width: int, height: int = 900) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )

    def look(self, scheme: str = "light", media: str = "screen") -> None:
        """Show what follows in light or dark, on a screen or in print."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)

    def picture(self, file: Path) -> None:
        """The whole page as PNG."""
        done = self.send("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(done["data"]))


class Browser:
    """A headless Chromium of its own."""

    def __init__(self, folder: Path) -> None:
        theirs, self._in = os.pipe()
        self._out, answers = os.pipe()
        words = [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        words += [f"--user-data-dir={folder / 'profile'}", "--no-first-run", "--lang=en"]
        shell = ["sh", "-c", f'exec "$@" 3</dev/fd/{theirs} 4>/dev/fd/{answers} 2>/dev/null', "sh", *words]
        self.process = subprocess.Popen(shell, pass_fds=(theirs, answers))
        os.close(theirs)
        os.close(answers)
        self._number, self._rest, self._context = 0, b"", ""

    def send(self, method: str, session: str = "", **more: Any) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": more} | ({"sessionId": session} if session else {})
        os.write(self._in, json.dumps(message).encode() + b"\0")
        while True:
            found = self._read()
            if found.get("id") == self._number:
                assert "error" not in found, found
                return found["result"]

    def _read(self) -> Any:
        while b"\0" not in self._rest:
            assert select.select([self._out], [], [], HUNG)[0], "the browser has hung"
            block = os.read(self._out, 2**16)
            assert block, "the browser has ended"
            self._rest += block
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)

    def tab(self) -> Tab:
        within = {"browserContextId": self._context} if self._context else {}
        target = self.send("Target.createTarget", url="about:blank", **within)["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session)
        tab.send("Page.enable")
        return tab

    @contextmanager
    def anew(self) -> Iterator[Browser]:
        """The same browser without cookies and tabs of others: starting another one takes longer."""
        self._context = self.send("Target.createBrowserContext")["browserContextId"]
        try:
            yield self
        finally:
            self.send("Target.disposeBrowserContext", browserContextId=self._context)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._in)
        os.close(self._out)


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    made = Browser(folder)
    try:
        yield made
    finally:
        made.close()
