# SPDX-License-Identifier: BSD-3-Clause
"""The page in a real browser, Chromium without a window: from a file, with no network."""

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser, Locator, Page

from agreport.main import main

from ..conftest import lines, writer
from ..support.browser import opened
from ..support.pages import draw_only

pytestmark = pytest.mark.browser

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(22, 22, 22)"
PDF_PAGE = b"/Type /Page\n"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four rank counts, eight algorithms, something skipped, something wrong and a bad file."""
    folder = tmp_path_factory.mktemp("page")
    names = ["sparbit", "ring", "bruck", "native", "linear", "spread", "shift", "pair"]
    cases = [
        [
            *(
                line
                for place, name in enumerate(names)
                for line in lines(name, [10 + place + ranks] * 6, size=size, ranks=ranks)
            ),
            *lines("mesh2d", size=size, ranks=ranks, status="skipped", reason="needs <a> mesh"),
        ]
        for ranks in (2, 4, 8, 16)
        for size in (1, 1024, 65536)
    ]
    wrong = lines("odd", size=4, status="wrong", reason="rank 2: byte 3")
    writer(folder)(
        "a.csv", *cases, wrong, start="2026-11-21T12:00:00", sync="barrier", thread_level="single"
    )
    (folder / "bad.csv").write_text("a,b\n")
    page = folder / "report.html"
    assert main(["page", str(folder), "-o", str(page)]) == 3
    return page


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The report, opened; what it says on the console or asks the network for is an error."""
    with opened(browser, report) as found:
        yield found


def column(table: Locator, name: str) -> list[str]:
    """The cells of the rows that are shown."""
    names = [text.strip() for text in table.locator("th").all_inner_texts()]
    cells = table.locator(f"tbody tr:visible td:nth-child({names.index(name) + 1})")
    return [text.strip() for text in cells.all_inner_texts()]


def table_with(page: Page, name: str) -> Locator:
    return page.locator("table").filter(has=page.get_by_role("button", name=name, exact=True))


def click(table: Locator, name: str) -> None:
    table.get_by_role("button", name=name, exact=True).click()


def test_images_load(page: Page) -> None:
    shown = "all => all.map(one => one.getBoundingClientRect().width).filter(Boolean)"
    widths = page.eval_on_selector_all("section:not(details *) svg", shown)
    assert len(widths) >= 2
    assert min(widths) > 500


def test_it_says_what_ran_and_what_is_doubtful(page: Page) -> None:
    text = page.locator("body").inner_text()
    for said in ("Open MPI <4.1.4> & friends", "needs <a> mesh", "bad.csv:1: not a result file"):
        assert said in text
    assert column(table_with(page, "thread level"), "sync") == ["barrier"]


def test_tables_sort(page: Page) -> None:
    """Numbers as numbers, texts as texts, and back."""
    table = table_with(page, "timed in")
    before = column(table, "algorithm")
    click(table, "algorithm")
    assert column(table, "algorithm") == sorted(before)
    click(table, "algorithm")
    assert column(table, "algorithm") == sorted(before, reverse=True)
    click(table, "fastest in")
    counts = [int(text) for text in column(table, "fastest in")]
    assert counts == sorted(counts)
    click(table, "fastest in")
    assert [int(text) for text in column(table, "fastest in")] == sorted(counts, reverse=True)
    assert column(table, "algorithm")[0] == "sparbit"
    assert table.locator("th[aria-sort]").count() == 1


def test_numbers_sort_by_value_and_gaps_last(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(
        "<div><table><thead><tr><th class='number'>n</th></tr></thead><tbody>"
        + "".join(f"<tr><td>{n}</td></tr>" for n in ("9", "-", "10", "-1.5"))
        + "</tbody></table></div>"
    )
    page.add_script_tag(path=Path(main.__code__.co_filename).parent / "page" / "page.js")
    table = page.locator("table")
    click(table, "n")
    assert column(table, "n") == ["-1.5", "9", "10", "-"]
    click(table, "n")
    assert column(table, "n") == ["10", "9", "-1.5", "-"]
    page.close()


def test_tables_filter(page: Page) -> None:
    table = table_with(page, "timed in")
    field = table.locator("xpath=../preceding-sibling::p[1]")
    field.locator("input").fill("SPARbit 12")
    assert column(table, "algorithm") == ["sparbit"]
    assert "1 of 8 rows" in field.inner_text()
    click(table, "algorithm")
    assert column(table, "algorithm") == ["sparbit"], "a sorted table stays filtered"
    field.locator("input").fill("")
    assert len(column(table, "algorithm")) == 8


def test_light_and_dark(page: Page) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    for scheme, colour in (("light", LIGHT), ("dark", DARK)):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert page.evaluate(paper) == colour


def test_nothing_is_wider_than_the_window(page: Page) -> None:
    for width in (1400, 900, 400):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_narrow_window(page: Page) -> None:
    """The column that a table is about is seen, and the letters of figures are legible."""
    page.set_viewport_size({"width": 400, "height": 900})
    loss = page.locator("th", has_text="times as long").bounding_box()
    assert loss and loss["x"] + loss["width"] <= 400
    letters = "all => all.map(one => one.getBoundingClientRect().height)"
    heights = page.eval_on_selector_all("section:first-of-type svg text", letters)
    assert min(height for height in heights if height) > 7, "of a line"
    hint = page.locator(".sideways")
    assert hint.first.is_visible(), "figures that do not flow are moved"
    page.set_viewport_size({"width": 900, "height": 900})
    assert not hint.first.is_visible()


@pytest.mark.parametrize("width", [1400, 900, 400])
def test_the_first_picture_is_whole(page: Page, width: int) -> None:
    """One drawing of it is seen, and it is within the window; on a wide screen all of it is
    seen."""
    page.set_viewport_size({"width": width, "height": 900})
    place = "all => all.map(one => one.getBoundingClientRect()).filter(one => one.width)"
    boxes = page.locator("section.figure").first.locator("svg").evaluate_all(place)
    (box,) = boxes
    assert box["x"] >= 0 and box["right"] <= width
    assert width == 400 or box["height"] < 900


def test_prints_keep_headings_with_what_they_head(page: Page) -> None:
    page.emulate_media(media="print")
    breaks = "all => all.map(one => getComputedStyle(one).breakAfter)"
    for what in ("h2", "h3", "summary", "thead", "tbody tr:first-child"):
        assert set(page.eval_on_selector_all(what, breaks)) == {"avoid"}, what
    inside = "all => all.map(one => getComputedStyle(one).breakInside)"
    assert set(page.eval_on_selector_all("section.figure, .keep", inside)) == {"avoid"}
    losses = page.locator("div.keep:has(h3:text('The largest losses'))")
    assert losses.locator("table").count() == 1


def test_the_answer_is_on_the_first_screen(page: Page) -> None:
    for width in (1400, 900, 400):
        page.set_viewport_size({"width": width, "height": 900})
        place = page.locator("p.first").first.bounding_box()
        assert place and place["y"] + place["height"] < 900
    page.set_viewport_size({"width": 1400, "height": 900})
    contents = page.locator("nav").bounding_box()
    assert contents and contents["y"] < 300, "beside it"


def test_a_value_is_shown_at_the_pointer(page: Page) -> None:
    first = page.locator("section.figure").first.locator(".on-wide, .on-usual")
    first = first.filter(visible=True)
    cells = first.locator("svg rect > title")
    assert cells.count() >= 12, "four numbers of ranks, three sizes"
    assert "native 15 \N{MICRO SIGN}s; sparbit 12 " in (cells.first.text_content() or "")
    cell = first.locator("svg rect:has(title)").first
    box = cell.bounding_box()
    assert box and box["width"] > 20 and box["height"] > 8, "it covers its cell"


def test_the_first_of_many_tables_is_open(page: Page) -> None:
    folded = page.locator("section:has(#times) ~ details")
    assert folded.count() > 2
    assert folded.nth(0).locator("table").is_visible()
    assert not folded.nth(1).locator("table").is_visible()


def test_figures_keep_their_colours_in_the_dark(page: Page) -> None:
    """Blue that is turned round is ring's in the light and bruck's in the dark."""
    of_figure = "getComputedStyle(document.querySelector('svg')).filter"
    page.emulate_media(color_scheme="light")
    assert page.evaluate(of_figure) == "none"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(of_figure) == "brightness(0.88)"


def test_the_contents_lead_behind_the_fold(page: Page) -> None:
    venn = page.locator("h2", has_text="Fastest by min, avg and max")
    assert not venn.is_visible()
    page.locator("nav a", has_text="Fastest by min, avg and max").click()
    venn.wait_for(state="visible")


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_the_numbers_can_be_kept(page: Page, tmp_path: Path, kind: str) -> None:
    with page.expect_download() as found:
        page.locator(f"[data-download={kind}]").click()
    file = tmp_path / found.value.suggested_filename
    found.value.save_as(file)
    if kind == "csv":
        table = pd.read_csv(file)
    else:
        document = json.loads(file.read_text())
        table = pd.DataFrame(document["data"], columns=document["columns"])
    assert len(table) == 8 * 12
    ring = table[table["algorithm"].eq("ring") & table["ranks"].eq(8) & table["bytes"].eq(1024)]
    assert ring["median_us"].tolist() == [19]


def test_no_formula_in_the_csv(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A spreadsheet shows such a name, and runs nothing."""
    name = "=cmd|/C calc!A0"
    draw_only(monkeypatch)
    path = writer(tmp_path)("a.csv", [*lines(name, [1.0] * 6), *lines("ring", [2.0] * 6)])
    report = tmp_path / "report.html"
    assert main(["page", str(path), "--algorithm", "ring", "-o", str(report)]) == 0
    file = tmp_path / "numbers.csv"
    with opened(browser, report) as page:
        with page.expect_download() as found:
            page.locator("[data-download=csv]").click()
        found.value.save_as(file)
    table = pd.read_csv(file)
    assert table["algorithm"].tolist() == ["ring", f"'{name}"]
    assert table["median_us"].tolist() == [2, 1]


def test_it_prints(page: Page, tmp_path: Path) -> None:
    """It prints on white in the dark too, no field to type in, and nothing wider than the paper."""
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == LIGHT
    assert not page.locator("p.filter").first.is_visible()
    page.set_viewport_size({"width": 700, "height": 1000})
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    paper = page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert paper.startswith(b"%PDF-")
    assert 2 <= paper.count(PDF_PAGE) <= 12
