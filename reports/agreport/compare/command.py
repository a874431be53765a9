# SPDX-License-Identifier: BSD-3-Clause
"""Two sides of launches, case by case: exit code 1 if the new one is slower, 2 if it is not known.

Two MPI builds, two versions, two machines. What is tested is the pair of launches or the launch,
never the iteration. docs/background/compare_statistics.md says how, and how often that is right.
"""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from agformats import paths
from agformats.cli.keep_going import add_keep_going
from agformats.cli.one_line_parser import explains_rest
from agformats.errors import BadInput, check_known
from agformats.files.outputs import write_text
from agformats.files.result_file import CALL, CYCLE
from agreport.cli import inputs, render
from agreport.cli import options as opt
from agreport.cli.options import add_medium
from agreport.cli.report import Report
from agreport.cli.rows import option, output, percent, several, together, value
from agreport.data.result_paths import result_files
from agreport.figure.sheet import ENDINGS

from . import baseline_store, figure, json_text, junit, terminal, words
from .comparability import MUST_AGREE, POOLED, check_comparable, check_sides
from .comparison import BLOCKS, ORDER, Comparison, Rules, compare
from .sides import SIDES, Sides, find_pairing, load_sides

SINGLE, MISSING = "single-launch", "missing"
GATE = "detectable"
TIMES_THRESHOLD = 2.0  # what is to be detectable without --gate
SAVING = ("baseline", "save_baseline", "baselines")  # the options of --save-baseline
TEXTS = {
    "markdown": terminal.markdown,
    "json": json_text.text,
    "junit": junit.text,
    "csv": json_text.csv,
}


def read_gate(text: str) -> float:
    """Returns the percentage of a rule such as detectable=10%. Raises ArgumentTypeError for any
    other text."""
    key, equals, value = text.partition("=")
    if key.strip() != GATE or not equals:
        raise ArgumentTypeError(f"'{text}' is no rule of a gate; legal: {GATE}=PERCENT")
    return percent(value)


def ask_for_sides(options: Namespace, rest: Sequence[str] = ()) -> str:
    """Returns a sentence that says what to give where a side is missing; empty if none is, or for
    --save-baseline. rest: words that are no options; a name such as --old is not the name of a
    side."""
    missing = [side for side in SIDES if not getattr(options, side)]
    if not missing or options.save_baseline:
        return ""
    given = [*(options.baseline or []), *(options.new or []), *rest]
    said = f"'{rest[0]}' says no side" if rest else f"--{missing[0]} FILES is missing"
    builds = name_builds([each for each in given if not each.startswith("-")])
    sides = " ".join(
        f"--{side} {build}"
        for side, build in zip(SIDES, builds if len(builds) == 2 else ["FILES"] * 2, strict=True)
    )
    which = f"; of {' and '.join(builds)} one each" if len(builds) > 2 else ""
    return f"{said}; the two sides are given as {sides}{which}"


def name_builds(given: Sequence[str]) -> list[str]:
    """Returns the folders of the builds below a folder that is given alone, as that of a sweep's
    data set is. Empty if several names are given, or there are fewer than two such folders."""
    if len(given) != 1 or not Path(given[0]).is_dir():
        return []
    try:
        folders = {path.parent for path in result_files(given)}
    except BadInput:
        return []
    return sorted(map(str, folders)) if len(folders) > 1 else []


add_options = together(
    partial(explains_rest, explain=ask_for_sides),
    option(
        "--baseline",
        nargs="+",
        metavar="FILES",
        help=f"before: {inputs.RESULT_FILES}; or the name of a baseline that was saved",
    ),
    option("--new", nargs="+", metavar="FILES", help=f"after: {inputs.RESULT_FILES}"),
    value(
        "--save-baseline",
        "NAME",
        "compare nothing, but keep copies of the files of --baseline under this name",
    ),
    value(
        "--baselines",
        "FOLDER",
        "where baselines are kept (default: %(default)s)",
        type=paths.folder,
        default=baseline_store.FOLDER,
    ),
    inputs.add_filters,
    inputs.add_where,
    value(
        "--threshold",
        "PERCENT",
        "the smallest change that matters (default: 5%%)",
        type=partial(percent, least=0.01),
        default=5.0,
    ),
    value(
        "--gate",
        f"{GATE}=PERCENT",
        "exit with 2 unless a change of PERCENT would be called in every case (without this: one "
        "of twice the threshold in some case)",
        type=read_gate,
    ),
    several(
        "--allow",
        "KEY,...",
        f"compare although this differs between the launches; or {SINGLE}: call verdicts by one "
        f"launch a side; or {MISSING}: judge what there is where a side lacks cases; or {BLOCKS}: "
        f"judge launches that did not take turns, as of a stored baseline; or {ORDER}: judge pairs "
        "of which one side was always first, or launches in strict turn",
    ),
    *(output(f"--{name}", f"write it as {name} too") for name in TEXTS),
    add_keep_going,
    partial(
        opt.add_output,
        endings=ENDINGS,
        what="the ratios and the worst cases as a figure: ",
        required=False,
    ),
    add_medium,
)


def run(options: Namespace) -> int:
    if options.save_baseline:
        if not options.baseline:
            raise BadInput("--baseline FILES is missing: the launches that --save-baseline keeps")
        require_only_saving(options)
        kept = baseline_store.save_baseline(
            options.baselines,
            options.save_baseline,
            options.baseline,
            inputs.log_rules(options),
        )
        print(f"kept as baseline '{options.save_baseline}' in {kept}")
        return 0
    comparison = run_comparison(options)
    for name, text in TEXTS.items():
        if path := getattr(options, name):
            write_text(path, text(comparison))
    if options.output:
        figure.draw(comparison).write(options.output)
    if why := words.explain_no_verdict(comparison):
        print(f"agreport: {why}", file=sys.stderr)
    try:
        sys.stdout.write(terminal.text(comparison))
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that has seen enough changes no verdict
        render.drop_output()
    return comparison.exit_code


def require_only_saving(options: Namespace) -> None:
    """Raises BadInput if an option is given that says nothing of what --save-baseline keeps. The
    ranks and the collective do where they say what logs do not (save_baseline)."""
    rules = inputs.log_rules(options)
    of_logs = [name for name in ("ranks", "collective") if getattr(rules, name)]
    parser = ArgumentParser()
    REPORT.add_options(parser)
    for action in parser._actions:
        if action.dest in (*SAVING, *of_logs) or action.dest not in options:
            continue
        if getattr(options, action.dest) != action.default:
            raise BadInput(
                f"--save-baseline compares nothing; {'/'.join(action.option_strings)} does not go "
                "with it; legal: --baseline, --baselines, and --ranks and --collective of logs "
                "that say none"
            )


def run_comparison(options: Namespace) -> Comparison:
    if text := ask_for_sides(options):
        raise BadInput(text)
    allowed = [name.strip() for text in options.allow for name in text.split(",")]
    legal = [*dict.fromkeys([*MUST_AGREE, *POOLED]), SINGLE, MISSING, BLOCKS, ORDER]
    check_known("--allow", allowed, legal, "a key that may be allowed to differ")
    rules = make_rules(options, allowed)
    baseline = baseline_store.find_baseline(options.baselines, options.baseline)
    sides = load_sides(baseline, options.new, options)
    pairing = find_pairing(sides)
    check_comparable(sides, pairing, allowed)
    sides = check_sides(sides, pairing, allowed)
    if options.metric == CYCLE:
        sides = only_cycles(sides)
    return compare(sides, pairing, options.metric, rules)


def only_cycles(sides: Sides) -> Sides:
    """Returns the sides with only the rows that have a cycle, and those of what was not timed."""
    column = sides.results.column_of(CYCLE)
    rows = sides.results.rows
    kept = rows[column].notna() | rows["status"].ne("ok")
    return replace(sides, results=sides.results.keep(rows[kept]))


def make_rules(options: Namespace, allowed: Collection[str]) -> Rules:
    threshold = options.threshold
    every = options.gate is not None
    goal = options.gate if every else TIMES_THRESHOLD * threshold
    if goal <= threshold:
        raise BadInput(
            f"--gate {GATE}={goal:g}%: a change that is always called is larger than --threshold "
            f"({threshold:g}%)"
        )
    return Rules(
        threshold / 100,
        goal / 100,
        every,
        single=SINGLE in allowed,
        missing=MISSING in allowed,
        blocks=BLOCKS in allowed,
        order=ORDER in allowed,
    )


# Two builds of one call are compared, so the call alone is the default.
METRIC = opt.Need(partial(opt.add_metric, default=CALL))
REPORT = Report("compare", __doc__, options=add_options, needs=(METRIC,), run=run, logs=True)
