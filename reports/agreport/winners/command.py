# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithm wins each case, and by how much: as a map, a table, a boxplot or Venn diagrams.

Each view has options of its own. With --algorithm or --versus the map is of one algorithm.
"""

from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agformats.cli.one_line_parser import OneLineParser
from agformats.errors import BadInput
from agformats.files.outputs import OutputFile
from agreport.cli.report import Report
from agreport.figure.sheet import ENDINGS
from agreport.winners import against_sets, boxplot, heatmap, loss, selection, table, venn

# Where a view has several reports, the first is meant that knows all options that are given.
REPORTS = (
    *(selection.REPORT, heatmap.REPORT, loss.REPORT, table.REPORT),
    *(boxplot.REPORT, venn.REPORT, against_sets.REPORT),
)
VIEWS = list(dict.fromkeys(report.view for report in REPORTS))
# The reports by their own names, which mean one of them.
NAMES = [report.name for report in REPORTS if report.name not in VIEWS]


def describe() -> Iterator[str]:
    """The help text: each report, and the command that is its other name."""
    yield f"{__doc__}\nThe views, and in brackets other names of them as commands:\n"
    width = max(map(len, VIEWS))
    for report in REPORTS:
        first, *_ = str(report.text).splitlines()
        yield f"  --as {report.view:{width}}  {first} ({report.name})"


@dataclass(frozen=True)
class Known:
    """A report and its options, by what is typed."""

    report: Report
    options: dict[str, Action]


def known() -> list[Known]:
    found = []
    for report in REPORTS:
        parser = OneLineParser(add_help=False)
        report.add_options(parser)
        named = {[action.dest, *action.option_strings][-1]: action for action in parser._actions}
        found.append(Known(report, named))
    return found


def add_options(parser: ArgumentParser) -> None:
    """Adds the options of all views, without defaults, so that the namespace has those given."""
    add_view(parser)
    each = known()
    for name in dict.fromkeys(name for one in each for name in one.options):
        views = views_with(name, each)
        action = next(one.options[name] for one in each if name in one.options)
        action.help = str(action.help).replace("%(default)s", str(action.default))
        action.default = SUPPRESS
        if name == "--output":  # the report that is meant looks at its ending
            action.type, action.required = OutputFile(), False
            action.help = f"{' or '.join(ENDINGS)}, or the table; an older one is replaced"
        if len(views) < len(VIEWS):
            action.help = f"{action.help}; of --as {', '.join(views)}"
        parser._add_action(action)


def views_with(name: str, each: Sequence[Known]) -> list[str]:
    return list(dict.fromkeys(one.report.view for one in each if name in one.options))


def add_view(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--as",
        dest="view",
        choices=[*VIEWS, *NAMES],
        default=VIEWS[0],
        metavar=f"{{{','.join(VIEWS)}}}",
        help="one of the views above, or the name in brackets (default: %(default)s)",
    )


def settle(options: Namespace, given: Sequence[str]) -> Namespace:
    """The given words, read by the report that is meant."""
    parser = OneLineParser(prog="agreport winners")
    add_view(parser)
    choose(options).add_options(parser)
    return parser.parse_args(given)


def choose(options: Namespace) -> Report:
    """Raises BadInput if no report of the view knows all options."""
    each = known()
    given = {name for one in each for name, action in one.options.items() if action.dest in options}
    of_view = [one for one in each if options.view in (one.report.view, one.report.name)]
    unknown = [sorted(given - one.options.keys()) for one in of_view]
    least = min(unknown, key=len)
    if not least:
        return of_view[unknown.index(least)].report
    option, views = least[0], views_with(least[0], each)
    if (
        of_view[0].report.view in views and len(of_view) > 1
    ):  # of another of its reports, which does not know a third option
        other = next(names[0] for names in unknown if option not in names)
        raise BadInput(f"{option}: does not go with {other}; legal: one of them")
    raise BadInput(f"{option}: not of --as {options.view}; legal: with --as {' or '.join(views)}")


REPORT = Report("winners", "\n".join(describe()), options=add_options, settle=settle)
