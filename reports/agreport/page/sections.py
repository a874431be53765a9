# SPDX-License-Identifier: BSD-3-Clause
"""The sections of a page: each report's figures and tables, in the order of the chapters."""

import re
from argparse import Namespace
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd
from markupsafe import Markup

from agformats.errors import BadInput
from agreport.cli import render
from agreport.cli.report import OnPage, Part, Report
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import Results
from agreport.data.settings import without_empty
from agreport.figure.medium import Medium, drawn_for
from agreport.reports.winners import NEAR_TIES
from agreport.stats.contest import Contest

# A figure whose panels flow is drawn this wide for each class of screens. Its letters have the same
# size on all of them.
SCREENS_CM = {"on-narrow": 9.5, "on-usual": 20.0, "on-wide": 27.0}


class Table:
    """A table as the page's template takes it: names and texts, and which columns are numbers."""

    def __init__(self, frame: pd.DataFrame, title: str = "") -> None:
        self.title = title
        frame, self.constant = render.without_constant(without_empty(frame))
        self.names = [*map(render.in_words, frame)]
        self.rows = render.cells(frame)
        self.numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]


@dataclass(frozen=True)
class Section:
    """A section of the page.

    figure: an svg element, or one for each class of screens if flows is true. title, caption: those
    of the figure. parts: the sentences and tables below the figure. fold: the title of the fold
    that the section's chapter is behind; empty: the chapter is open.
    """

    heading: str
    figure: Markup
    title: str
    caption: str
    parts: Sequence[str | Table]
    fold: str = ""
    flows: bool = False

    @property
    def anchor(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.heading.lower()).strip("-")

    @property
    def tables(self) -> list[Table]:
        return [part for part in self.parts if isinstance(part, Table)]


def sections(
    chapters: Mapping[str, Sequence[Report]],
    results: Results,
    contest: Contest,
    metric: str,
    known: Collection[str] = (),
) -> Iterator[Section]:
    """Yields the sections of the page, in the order of the chapters. If only one algorithm has
    times, there are no sections that compare.

    chapters: the reports by the title of their fold; known: sentences that the page has elsewhere,
    which are left out.
    """
    placed = [(fold, report) for fold, reports in chapters.items() for report in reports]
    for fold, report in placed:
        for shown in report.on_page if contest.others or not report.compares else ():
            options = options_of(shown, contest, metric)
            if section := make_section(report, shown, results, options, known):
                yield replace(section, fold=fold.format_map(vars(options)))


def options_of(shown: OnPage, contest: Contest, metric: str) -> Namespace:
    settings: dict[str, object] = {"x": "bytes", "first": None, "start": 1, "size_by": "block"}
    settings |= {"near_ties": NEAR_TIES[0], **shown.settings}
    return Namespace(
        **{**asdict(contest), "contest": contest, "algorithm": contest.chosen},
        **{"baseline": LIBRARY, "metric": metric, **settings},
    )


def make_section(
    report: Report, shown: OnPage, results: Results, options: Namespace, known: Collection[str]
) -> Section | None:
    heading = shown.heading.format_map(vars(options))
    try:
        data = shown.select(results, options)
    except BadInput as error:
        return Section(heading, Markup(), "", "", [f"{error}."])
    if data is None:
        return None
    assert report.table, report.name
    try:
        table = report.table(data, options)
    except BadInput:  # the results have nothing of the kind
        return None
    figure, title, caption = Markup(), "", ""
    parts: list[str | Table] = []
    if report.draw:
        widths = SCREENS_CM if shown.flows else {"": Medium().width_cm}
        for screen, width_cm in widths.items():
            with drawn_for(Medium(width_cm, on_page=True)):
                sheet = report.draw(data, table, options)
            svg = Markup(sheet.svg(shown.alt.format_map(vars(options))))
            figure += Markup(f'<div class="{screen}">{svg}</div>') if screen else svg
            title, caption = ": ".join(sheet.title.split("\n")), sheet.caption
    elif report.parts is None:
        parts.append(Table(table.reset_index()))
    if shown.parts:
        parts += parts_of(report, data, table, options, known)
    return Section(heading, figure, title, caption, parts, flows=shown.flows)


def parts_of(
    report: Report, data: Any, table: pd.DataFrame, options: Namespace, known: Collection[str]
) -> Iterator[str | Table]:
    said: list[Part] = [*report.diagnostics(data, table, options)]
    said += report.parts(data, table, options) if report.parts else []
    for part in said:
        if not isinstance(part, str):
            yield Table(part[1], part[0])
        elif part not in known:
            yield part
