# SPDX-License-Identifier: BSD-3-Clause
"""`make site`: README.md and docs/ as a site, each link of which leads somewhere in it."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from agformats.catalogue import catalogue
from program.support.folders import ROOT

from .blocks import documents

pytestmark = pytest.mark.slow


class Page(HTMLParser):
    """links: of anchors and images; ids: what they may name behind a '#'."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if name := given.get("id"):
            self.ids.add(name)
        if link := given.get({"a": "href", "img": "src"}.get(tag, "")):
            self.links.append(link)


def build(source: Path, site: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """Builds the site with the schedules that GATHERBENCH_BUILD draws."""
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", site / ".doctrees",
         "-c", source / "docs" / "site", source, site],
        capture_output=True, text=True, check=False, env={**os.environ, **more},
    )  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there_and_in_the_contents(site: Path) -> None:
    contents = Page(site / "README.html").links
    for document in documents():
        name = str(document.relative_to(ROOT).with_suffix(".html"))
        assert (site / name).is_file()
        assert name in contents or name == "README.html"


def test_links_lead_somewhere(site: Path) -> None:
    pages = {path: Page(path) for path in site.rglob("*.html")}
    followed = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), f"{path.name}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].ids, f"{path.name}: {link}"
            followed += 1
    assert followed > 1000  # they were found


def test_each_schedule_is_drawn_and_linked(site: Path) -> None:
    """The test above has looked where the links lead."""
    reference = site / "docs" / "reference"
    links = Page(reference / "algorithms.html").links
    drawn = [row for row in catalogue().algorithms if row.has_schedule and row.name != "file"]
    assert len({link for link in links if link.startswith("schedules.html#")}) == len(drawn)
    assert (reference / "schedules.html").read_text().count("<pre>") == len(drawn)


def test_without_a_build_it_is_said_what_is_missing(tmp_path: Path) -> None:
    done = build(ROOT, tmp_path, GATHERBENCH_BUILD=str(tmp_path / "none"))
    assert done.returncode != 0
    assert "none holds no build" in done.stderr and "make build" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_link_to_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs" / "site").mkdir(parents=True)
    (tmp_path / "docs" / "site" / "conf.py").write_bytes(
        (ROOT / "docs" / "site" / "conf.py").read_bytes()
    )
    (tmp_path / "VERSION").write_text("1.0\n")
    links = "[b](docs/how-to/b.md#there)\n[b](docs/how-to/b.md#nowhere)\n"
    (tmp_path / "README.md").write_text(f"# A\n\n{links}")
    (tmp_path / "docs" / "how-to").mkdir()
    (tmp_path / "docs" / "how-to" / "b.md").write_text("# There\n")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    assert done.stderr.count("WARNING: ") == 1 and "nowhere" in done.stderr, done.stderr
