# SPDX-License-Identifier: BSD-3-Clause
"""The page of a history in a real browser, from a file, with no network."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page

from agreport.main import main

from ..support import fake_launches
from ..support.browser import opened

pytestmark = pytest.mark.browser

VERSIONS, AT = 20, 12


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty versions; one case is slower from the twelfth on, and one launch lacks it."""
    folder = tmp_path_factory.mktemp("history")
    random = np.random.default_rng(1)
    for version in range(VERSIONS):
        for number in range(3):
            factor = 1.3 if version >= AT else 1.0
            slow = {("ring", 1024): [1000 * factor * random.normal(1, 0.01)] * 3}
            times = {("ring", 8): [10 * random.normal(1, 0.01)] * 3, **(slow if version else {})}
            fake_launches.launch(
                folder / "data" / f"{version}_{number}.csv", times, seed=f"{version}{number}",
                start=f"2026-11-{version + 1:02}T0{number}:00:00+0000", note__commit=f"c{version}",
            )  # fmt: skip
    page = folder / "history.html"
    assert main(["history", str(folder / "data"), "--by", "note.commit", "-o", str(page)]) == 0
    return page


@pytest.fixture
def page(browser: Browser, history: Path) -> Iterator[Page]:
    with opened(browser, history) as found:
        yield found


@pytest.fixture
def case(page: Page) -> Locator:
    """The one that changed."""
    found = page.locator("figure").first
    assert "1K bytes" in found.inner_text()
    return found


def test_findings_are_on_the_first_screen(page: Page) -> None:
    finding = page.locator("#findings li").first
    assert finding.inner_text().startswith("since c12 (2026-11-13): 1 of 2 cases slower")
    box = finding.bounding_box()
    assert box and box["y"] + box["height"] < 500


def test_the_pointer_asks_for_a_version(case: Locator, page: Page) -> None:
    box = case.locator("svg").bounding_box()
    assert box
    said = case.locator(".said")
    before = said.inner_text()
    assert before.startswith("c12: +")
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + 10)
    assert said.inner_text().startswith("c19, 2026-11-20: 1")
    page.mouse.move(box["x"] + 5, box["y"] + 10)
    assert said.inner_text() == "c0, 2026-11-01: not measured"
    page.mouse.move(1, 1)
    assert said.inner_text() == before


def test_the_keys_move_from_version_to_version(case: Locator, page: Page) -> None:
    said = case.locator(".said")
    page.keyboard.press("Tab")
    assert said.inner_text().startswith("c19, ")
    assert ", 3 launches" in said.inner_text()
    for key, shown in (("ArrowLeft", "c18, "), ("Home", "c0, "), ("ArrowRight", "c1, "),
                       ("End", "c19, "), ("ArrowRight", "c19, ")):  # fmt: skip
        page.keyboard.press(key)
        assert said.inner_text().startswith(shown)
    page.keyboard.press("Tab")
    assert said.inner_text().startswith("c12: +"), "the next case has the focus"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_are_seen_on_the_paper(case: Locator, page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    colours = page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
            ...[...document.querySelectorAll("figure:first-child path")].map(
                one => getComputedStyle(one).stroke)]"""
    )
    paper, *strokes = (sum(map(int, each[4:-1].split(","))) / 3 for each in colours)
    assert (paper < 128) == (scheme == "dark")
    assert min(abs(stroke - paper) for stroke in strokes) > 40


@pytest.mark.parametrize("width", [1400, 900, 400])
def test_nothing_is_wider_than_the_window(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
