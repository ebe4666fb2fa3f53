"""The pictures of the README, taken from the pages of the default run by a Chromium.

Usage: python docs/pictures.py, after `snakemake --cores 8`; needs a Chromium of the system.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

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
        chromium.close()


if __name__ == "__main__":
    take_pictures()
