"""The pictures of the README, taken from the pages of the default run by a Chromium.

Usage: python docs/pictures.py, after `snakemake --cores 8` and `make .venv/inspect/installed`. It
needs a Chromium of the system.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from dissensus.cli import main

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results" / "demo"
#: Picture -> page, with what its address ends with.
PAGES = {
    "front-page.png": ("index.html", ""),
    "reader-pair.png": ("reader/index.html", "#/language/d007"),
    "map.png": ("union/map.html", ""),
}
_WIDTH, _HEIGHT = 1280, 860


def take_pictures() -> None:
    """Write every picture beside this script."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for name, (page, address) in PAGES.items():
            tab = chromium.new_page(viewport={"width": _WIDTH, "height": _HEIGHT})
            tab.goto((RESULTS / page).as_uri() + address)
            tab.wait_for_timeout(1500)
            tab.screenshot(path=ROOT / "docs" / name)
        with TemporaryDirectory() as folder:
            take_inspect(chromium, Path(folder))
        chromium.close()


def take_inspect(chromium: Any, folder: Path) -> None:
    """A debate of the run in Inspect's own viewer, below the line that names the log's folder."""
    main(["export", "demo", "--study", "language", "--to", "inspect", "--output", str(folder)])
    (log,) = folder.iterdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [ROOT / ".venv/inspect/bin/inspect", "view", "start", "--log-dir", folder]
    server = subprocess.Popen([*map(str, command), "--port", str(port)])
    try:
        for _ in range(100):
            with socket.socket() as there:
                if not there.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.2)
        tab = chromium.new_page(viewport={"width": _WIDTH, "height": _HEIGHT})
        sample = f"#/logs/{log.name}/samples/sample/d001-en/1/messages"
        tab.goto(f"http://127.0.0.1:{port}/{sample}")
        tab.wait_for_timeout(6000)
        line = 28
        clip = {"x": 0, "y": line, "width": _WIDTH, "height": _HEIGHT - line}
        tab.screenshot(path=ROOT / "docs/inspect-view.png", clip=clip)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    take_pictures()
