# SPDX-License-Identifier: BSD-3-Clause
"""What a report is: one row, of which its command, its options and its figures on the page come."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from agreport.cli import options as opt
from agreport.cli import render
from agreport.cli.options import Need
from agreport.data.load import Results
from agreport.figure.sheet import ENDINGS, Sheet


@dataclass(frozen=True)
class OnPage:
    """A figure of the page: the report's own, with these settings instead of a user's.

    heading, alt: with {options...} of the page; select: the part of the results that is drawn,
    None if this page has no such figure.
    """

    heading: str
    alt: str
    settings: Mapping[str, object] = field(default_factory=dict)
    select: Callable[[Results, Namespace], Results | None] = lambda results, _: results


@dataclass(frozen=True)
class Report:
    """A command; the first line of its text is its help, formerly: what else it was called.

    Its data is what load makes of the options; each need adds options and applies them to the
    data. table is what --csv writes. With draw, -o is the figure; with show, the report prints
    text of its own and -o may be missing; with neither, it prints the table or writes it to -o.
    run: instead of load, table, draw and show, for what has several inputs or outputs.
    """

    name: str
    text: str | None
    options: Callable[[ArgumentParser], None] = opt.add_inputs
    needs: tuple[Need, ...] = ()
    load: Callable[[Namespace], Any] = opt.load_selected
    table: Callable[[Any, Namespace], pd.DataFrame] | None = None
    draw: Callable[[Any, Any, Namespace], Sheet] | None = None
    show: Callable[[Any, pd.DataFrame, Namespace], None] | None = None
    run: Callable[[Namespace], int | None] | None = None
    on_page: tuple[OnPage, ...] = ()
    formerly: tuple[str, ...] = ()

    @property
    def help(self) -> str:
        return (self.text or "").partition("\n")[0]

    def add_options(self, parser: ArgumentParser) -> None:
        self.options(parser)
        for need in self.needs:
            need.add(parser)
        if self.run is None:
            self.add_outputs(parser)
        parser.set_defaults(run=self.run or self.execute, left_out=[], first=None)

    def add_outputs(self, parser: ArgumentParser) -> None:
        if self.draw:
            what = "the figure: " if self.show else ""
            opt.add_output(parser, ENDINGS, what, required=self.show is None)
        if self.draw is None and self.show is None:
            render.add_output(parser)
        elif self.table:
            opt.add_csv(parser)

    def execute(self, options: Namespace) -> None:
        """Everything is found and drawn before anything is written."""
        data = self.load(options)
        for need in self.needs:
            data = need.apply(options, data)
        table = self.table(data, options) if self.table else None
        if self.draw and options.output:
            self.draw(data, table, options).write(options.output)
        if table is None:
            return
        if self.draw is None and self.show is None:
            render.write(table, options)
        elif options.csv:
            table.to_csv(options.csv, index=table.index.names != [None])
        if self.show:
            self.show(data, table, options)

    def figure(self, results: Results, options: Namespace) -> Sheet:
        """Of the page: drawn of results that no need has to be applied to."""
        assert self.table and self.draw, self.name
        return self.draw(results, self.table(results, options), options)
