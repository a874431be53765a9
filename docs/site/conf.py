# SPDX-License-Identifier: BSD-3-Clause
"""The documentation as a site: `make site`. Sphinx reads README.md and docs/ where they lie.

The contents are the pages in the order in which the README links to them first, then the others.
"""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

project = "gatherbench"
version = release = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md"]
myst_heading_anchors = 4  # as GitHub names them, which is how the pages link to each other
# What a console shows has quotes and dollars that no lexer can pair.
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "furo"
html_title = f"gatherbench {release}"
html_copy_source = False


def pages(readme: str) -> list[str]:
    linked = re.findall(r"\]\(((?:docs/)?\w+)\.md", readme)
    found = sorted(str(path.relative_to(ROOT).with_suffix("")) for pattern in include_patterns
                   for path in ROOT.glob(pattern))  # fmt: skip
    return [page for page in dict.fromkeys([*linked, *found]) if page != root_doc]


def add_contents(_: Any, page: str, source: list[str]) -> None:
    if page == root_doc:
        lines = "\n".join(f"/{each}" for each in pages(source[0]))
        source[0] += f"\n```{{toctree}}\n:hidden:\n\n{lines}\n```\n"


def setup(app: Any) -> None:
    app.connect("source-read", add_contents)
