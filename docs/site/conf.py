# SPDX-License-Identifier: BSD-3-Clause
"""The documentation as a site: `make site`. Sphinx reads README.md and docs/ where they lie.

The contents are a list for each folder of docs/, in the order in which the README links to them
first, then the others. Drawn schedules are on the site alone: the executables of GATHERBENCH_BUILD
(default: build) print them.
"""

import os
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError

ROOT = Path(__file__).resolve().parents[2]
SHELVES = ("tutorials", "how-to", "reference", "background", "development", "decisions")
FROM_THE_BUILD = ("docs/reference/algorithms", "docs/reference/schedules")
sys.path.insert(0, str(ROOT / "tools"))

project = "gatherbench"
version = release = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "README"
pages_below = ["docs/*/*.md", "docs/development/decisions/*.md"]
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", *pages_below]
myst_heading_anchors = 4  # as GitHub names them, which is how the pages link to each other
# What a console shows has quotes and dollars that no lexer can pair.
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "furo"
html_title = f"gatherbench {release}"
html_copy_source = False


def pages(readme: str) -> list[str]:
    linked = re.findall(r"\]\(((?:docs/[\w-]+/)?\w+)\.md", readme)
    found = sorted(str(path.relative_to(ROOT).with_suffix("")) for pattern in include_patterns
                   for path in ROOT.glob(pattern))  # fmt: skip
    return [page for page in dict.fromkeys([*linked, *found]) if page != root_doc]


def shelf(page: str) -> int:
    """The place of its folder in the contents."""
    folder = Path(page).parent.name
    return SHELVES.index(folder) if folder in SHELVES else len(SHELVES)


def add_contents(_: Any, page: str, source: list[str]) -> None:
    if page == root_doc:
        by_folder = defaultdict(list)
        for each in sorted(pages(source[0]), key=shelf):
            by_folder[Path(each).parent.name].append(f"/{each}")
        for folder, lines in by_folder.items():
            options = f":hidden:\n:caption: {folder.capitalize() or 'Project'}\n"
            source[0] += "\n```{toctree}\n" + options + "\n" + "\n".join(lines) + "\n```\n"


def add_schedules(app: Any, page: str, source: list[str]) -> None:
    """Below the page of theirs, and links to them in the table of algorithms."""
    if page not in FROM_THE_BUILD:
        return
    build = ROOT / os.environ.get("GATHERBENCH_BUILD", "build")
    if not (build / "bin" / "allgather_schedule").exists():
        raise ExtensionError(f"{build} holds no build, which draws schedules: make build")
    import algorithms_page

    if page == "docs/reference/schedules":
        source[0] += algorithms_page.schedules(build)
    else:
        source[0] = algorithms_page.with_table(build, source[0], with_links=True)


def read_again(app: Any, environment: Any, *_: Any) -> list[str]:
    """The build may be another one, though the pages are as they were."""
    return [page for page in FROM_THE_BUILD if page in environment.found_docs]


def setup(app: Any) -> None:
    app.connect("source-read", add_contents)
    app.connect("source-read", add_schedules)
    app.connect("env-get-outdated", read_again)
