"""Pages in a real browser with the network off: what they show, ask for, and complain of."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_SCRIPT = Path(__file__).with_name("browser.sh")
#: Without these, Chromium calls home by itself.
_ARGUMENTS = [
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
#: Heard before any script of the page: what its policy kept from running or loading.
_LISTEN = """
window.refused = [];
addEventListener("securitypolicyviolation", (event) => refused.push(event.violatedDirective));
"""


@dataclass
class Opened:
    """A page in the browser.

    Attributes
    ----------
    page : Playwright's.
    asked : addresses that were asked for, the page's own the first.
    said : what reached the console, errors of scripts, and dialogs.
    """

    page: Any
    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def texts(self, selector: str) -> list[str]:
        """The text of each element, whether it is seen or not."""
        found: list[str] = self.page.locator(selector).all_text_contents()
        return found

    def quiet(self) -> bool:
        """Whether nothing was said, refused, or asked for besides the page itself."""
        refused = self.page.evaluate("window.refused ?? []")
        return not self.said and not refused and len(self.asked) == 1


@dataclass(frozen=True)
class Browser:
    """A Chromium without a screen."""

    chromium: Any
    _tabs: dict[tuple[int, int], Opened] = field(default_factory=dict)

    @contextmanager
    def open_again(self, path: Path, width: int = 1280, height: int = 900) -> Iterator[Opened]:
        """The same in a tab that others have had before, which takes half as long: a new document,
        in a process that has read its scripts. What a page stores would still be there.
        """
        tab = self._tabs.get((width, height))
        if tab is None:
            # It is closed with the browser.
            tab = self._tabs[width, height] = self._opened(width, height, scripts=True)
        tab.page.emulate_media(media="null", reduced_motion="reduce")
        tab.page.mouse.move(0, 0)
        tab.page.goto("about:blank")
        tab.asked.clear()
        tab.said.clear()
        tab.page.goto(path.as_uri())
        yield tab

    @contextmanager
    def open(
        self, path: Path, width: int = 1280, height: int = 900, scripts: bool = True
    ) -> Iterator[Opened]:
        """A file of this machine, without a network."""
        opened = self._opened(width, height, scripts)
        try:
            opened.page.goto(path.as_uri())
            yield opened
        finally:
            opened.page.context.close()

    def _opened(self, width: int, height: int, scripts: bool) -> Opened:
        """An empty page."""
        context = self.chromium.new_context(
            viewport={"width": width, "height": height},
            java_script_enabled=scripts,
            offline=True,
            reduced_motion="reduce",
        )
        context.set_default_timeout(20_000)
        opened = Opened(context.new_page())
        opened.page.on("request", lambda request: opened.asked.append(request.url))
        opened.page.on("console", lambda message: opened.said.append(message.text))
        opened.page.on("pageerror", lambda error: opened.said.append(str(error)))
        opened.page.on("dialog", lambda dialog: opened.said.append(dialog.message))
        if scripts:
            opened.page.add_init_script(_LISTEN)
        return opened


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser; skips, with the reason, where there is none."""
    found = subprocess.run(
        [str(_SCRIPT), "available"], capture_output=True, text=True, timeout=60, check=False
    )
    if found.returncode:
        pytest.skip(found.stderr.strip())
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip(
            "No browser here: the package playwright is not installed; see requirements.lock."
        )
    # Chromium's own sandbox does not work for root.
    arguments = [*_ARGUMENTS, *["--no-sandbox"] * (os.geteuid() == 0)]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found.stdout.strip(), args=arguments)
        try:
            yield Browser(chromium)
        finally:
            chromium.close()
