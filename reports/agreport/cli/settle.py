# SPDX-License-Identifier: BSD-3-Clause
"""Settles by the data what shared options leave open: the metric, and who is compared with whom."""

import sys
from argparse import Namespace
from collections.abc import Sequence

from agformats.catalogue import catalogue
from agformats.errors import BadInput, check_known
from agformats.files.result_file import CALL, CYCLE
from agformats.notes import tell
from agreport.cli import inputs
from agreport.data import algorithm_sets
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import METRICS, Results
from agreport.figure.words import partly_united_text, time_of
from agreport.stats.contest import Contest
from agreport.stats.times import can_be_united, times_of


def settle_metric(options: Namespace, results: Results) -> Results:
    """Sets options.metric to the default metric if the user asked for none, and says so if that is
    not the cycle because only some samples have it. Raises BadInput if the metric has no times."""
    if options.metric is None:
        options.metric = default_metric(results)
        if options.metric != CYCLE and not results.timed_samples["cycles"].eq(False).all():
            lacking, every = len(results.without_cycles), len(results.timed_samples)
            tell(
                f"agreport: note: {lacking} of {every} samples have no {METRICS[CYCLE]}, as those "
                f"of arrival patterns, so all times are of {time_of(options.metric)}; --metric "
                f"{CYCLE} takes cases that have it"
            )
    results.column_of(options.metric)
    return results


def default_metric(results: Results) -> str:
    """Returns the metric of the whole cycle, which is what a program waits for, if every sample has
    it; else that of the call alone."""
    return CYCLE if results.timed_samples["cycles"].all() else CALL


def only_algorithms(options: Namespace, results: Results) -> Results:
    if not options.algorithms:
        return results
    legal = results.timed_algorithms()
    names, sets = split_algorithms("--algorithms", options.algorithms, legal)
    results = algorithm_sets.without_left_out(results, sets, inputs.split_list(options.algorithms))
    results = results.keep(results.rows[results.rows["algorithm"].isin(names)])
    return inputs.require_times(results, [f"--algorithms {','.join(options.algorithms)}"])


def split_algorithms(
    option: str, texts: Sequence[str], legal: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Splits comma lists of algorithms and of sets of algorithms. Returns the algorithms, those of
    the sets among them, and the names that were sets; without a list all legal algorithms."""
    every = [each.name for each in catalogue().algorithm_sets]
    sets = [name for name in every if algorithm_sets.members(name, legal)]
    named = inputs.split_names(option, list(texts), [*legal, *sets])
    found = [] if named else list(legal)
    for name in named:
        found += algorithm_sets.members(name, legal) if name in sets else [name]
    return found, [name for name in named if name in sets]


def settle_contest(options: Namespace, results: Results, alone: bool = False) -> Results:
    """Sets options.contest to who is compared with whom, and returns the results without what the
    sets of algorithms leave out. Raises BadInput if a side has no times; with `alone` the other
    side may be empty where --versus is not given."""
    check_united(options, results)
    if "metric" in options:
        settle_metric(options, results)
    legal = results.timed_algorithms()
    if options.algorithm is None:
        options.algorithm = default_algorithm(options, results)
    check_known("--algorithm", [options.algorithm], legal, "an algorithm with times here")
    wanted, sets = split_algorithms("--versus", options.versus, legal)
    others = [name for name in legal if name in wanted and name != options.algorithm]
    if not others and (options.versus or not alone):
        versus = f" --versus {','.join(options.versus)}" if options.versus else ""
        raise BadInput(
            f"--algorithm {options.algorithm}{versus}: nothing to compare it with; "
            f"with times: {', '.join(legal)}"
        )
    named = [options.algorithm, *inputs.split_list(options.versus)]
    results = algorithm_sets.without_left_out(results, sets, named)
    timed = results.timed_algorithms()
    others = [name for name in others if name in timed] or others
    options.contest = Contest(options.algorithm, others, options.statistic, options.united)
    return results


def default_algorithm(options: Namespace, results: Results) -> str:
    """Returns the library's own algorithm if it has times, or else the one that is the fastest in
    most cases."""
    if LIBRARY in (legal := results.timed_algorithms()):
        return LIBRARY
    metric = getattr(options, "metric", CALL)
    us = times_of(results, metric, options.statistic, options.united).of(legal).once().us
    counts = us.dropna(how="all").idxmin(axis=1).value_counts()
    return max(legal, key=lambda name: int(counts.get(name, 0)))


def check_united(options: Namespace, results: Results) -> Results:
    """Returns the results; raises BadInput if --united is given, which takes several mappings, and
    no case has times under all of them. A warning names the cases that lack one."""
    mappings = sorted(results.timed_runs["mapping"].unique())
    if options.united and len(mappings) < 2:
        raise BadInput(f"--united: only one mapping has times here, {', '.join(mappings)}")
    if options.united:
        if not can_be_united(results):
            raise BadInput(f"--united: no case has times under each of {', '.join(mappings)}")
        for text in partly_united_text(results):
            print(f"agreport: warning: --united: {text}", file=sys.stderr)
    return results
