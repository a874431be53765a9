# SPDX-License-Identifier: BSD-3-Clause
"""Two sides of launches, case by case: exit code 1 if the new one is slower, 2 if it is not known.

Two MPI builds, two versions, two machines. What is tested is the pair of launches or the launch,
never the iteration. docs/background/compare_statistics.md says how, and how often that is right.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Collection
from dataclasses import replace

from agformats.errors import BadInput, check_known
from agformats.files.outputs import write_text
from agformats.files.result_file import CYCLE
from agreport import commands
from agreport.cli import inputs, render
from agreport.reports.builds import BLOCKS, GATE, MISSING, ORDER, SINGLE, TEXTS

from . import baseline_store, figure, json_text, junit, terminal, words
from .comparability import MUST_AGREE, POOLED, check_comparable, check_sides
from .comparison import Comparison, Rules, compare
from .missing_sides import ask_for_sides
from .sides import Sides, find_pairing, load_sides

TIMES_THRESHOLD = 2.0  # what is to be detectable without --gate
SAVING = ("baseline", "save_baseline", "baselines")  # the options of --save-baseline
TEXT_OF = dict(
    zip(TEXTS, (terminal.markdown, json_text.text, junit.text, json_text.csv), strict=True)
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
    for name, text in TEXT_OF.items():
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
    commands.report("compare").add_options(parser)
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
