# SPDX-License-Identifier: BSD-3-Clause
"""The rows of every case and algorithm, launch after launch and iteration after iteration.

Their order is found once. What is computed of their times then goes through them once for each
column, a million rows at a time, so that little is in memory beside the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from agformats.files.result_file import CYCLE, TIMES
from agreport.data.load import PAIR, Results
from agreport.data.rows import FIRST, ROWS, runs_of
from agreport.stats.arrays import Floats, Ints

MOST_ROWS = 1 << 20  # so many rows are looked at at a time
FEWEST_IN_RUN = 16  # shorter runs are not copied one by one


class Part(NamedTuple):
    """Some groups, with all their values. of_sample: how many values each sample has. of_group: how
    many values each group has."""

    values: Floats
    of_sample: Ints
    of_group: Ints


@dataclass(frozen=True)
class Samples:
    """Groups the rows, and calls what a launch measured of a group a sample.

    index: the keys of the groups. samples: the keys of the samples, which are those of the group,
    and the launch. Both are in the order of rows.groupby(..., observed=True). group: the number of
    the group of each sample. count: the number of rows of each sample. iterations: the number of
    rows of each group that are one iteration; rows of means are none. places: the numbers of the
    rows; if length is given, the starts of runs of rows that have these lengths.
    """

    index: "pd.Index[Any]"
    samples: "pd.Index[Any]"
    group: Ints
    count: Ints
    iterations: Ints
    places: Ints
    length: Ints | None

    @property
    def samples_of_group(self) -> Ints:
        return np.bincount(self.group, minlength=len(self.index))

    def each(self, values: Floats) -> Iterator[tuple[Any, Floats]]:
        """Yields the key of each sample and its values. values: as in parts."""
        found = (
            np.split(part.values, np.cumsum(part.of_sample)[:-1]) for part in self.parts(values)
        )
        yield from zip(self.samples, chain.from_iterable(found), strict=True)

    def parts(self, values: Floats) -> Iterator[Part]:
        """Yields all groups in order, whole groups at a time: as many as have MOST_ROWS rows at
        most, or one that has more. values: of all rows, as they stand in the table."""
        samples = np.append(0, np.cumsum(self.samples_of_group))
        rows = np.append(0, np.cumsum(self.count))[samples]  # before each group
        first = 0
        while first < len(self.index):
            upto = int(np.searchsorted(rows, rows[first] + MOST_ROWS, side="right")) - 1
            last = max(first + 1, upto)
            inside = slice(samples[first], samples[last])
            taken = self.take(values, int(rows[first]), int(rows[last]))
            yield Part(taken, self.count[inside], np.diff(rows[first : last + 1]))
            first = last

    def take(self, values: Floats, first: int, end: int) -> Floats:
        """Returns the values of the rows from number first to before number end, counted in the
        order of the samples. A run lies between first and end as a whole or not at all."""
        if self.length is None:
            found: Floats = values[self.places[first:end]]
            return found
        ends = np.cumsum(self.length)
        some = slice(*np.searchsorted(ends, [first, end], side="right"))
        runs = zip(self.places[some].tolist(), self.length[some].tolist(), strict=True)
        return np.concatenate([values[place : place + length] for place, length in runs])


def samples_of_runs(runs: pd.DataFrame, iteration: Floats, keys: Sequence[str]) -> Samples:
    """Returns the samples of a table's rows, grouped by these keys. runs: the table's runs as
    runs_of finds them, by these keys and the launch at least; iteration: of all rows of the
    table."""
    samples = runs.groupby([*keys, "launch"], observed=True)
    number: Ints = np.asarray(samples.ngroup(), np.int64)
    index = samples.size().index
    groups = runs.groupby(list(keys), observed=True)
    of_run = groups.ngroup().to_numpy()
    group = np.zeros(len(index), np.int64)
    group[number] = of_run
    count = np.bincount(number, runs[ROWS], minlength=len(index)).astype(np.int64)
    first: Ints = np.asarray(runs[FIRST], np.int64)
    length: Ints = np.asarray(runs[ROWS], np.int64)
    names = groups.size().index
    own = np.bincount(of_run, known(iteration, first, length), minlength=len(names))
    order = np.lexsort((iteration[first], number))
    found = first[order], length[order]
    if is_ordered(iteration, *found, number[order]) and len(iteration) > FEWEST_IN_RUN * len(runs):
        return Samples(names, index, group, count, own.astype(np.int64), *found)
    rows = np.repeat(first - np.cumsum(length) + length, length) + np.arange(length.sum())
    by = np.lexsort((iteration[rows], np.repeat(number, length)))
    return Samples(names, index, group, count, own.astype(np.int64), rows[by], None)


def known(iteration: Floats, first: Ints, length: Ints) -> Ints:
    """Returns how many rows of each run have an iteration."""
    lacks = np.isnan(iteration)
    if not lacks.any():
        return length
    upto = np.append(0, np.cumsum(~lacks))
    found: Ints = upto[first + length] - upto[first]
    return found


def is_ordered(iteration: Floats, first: Ints, length: Ints, number: Ints) -> bool:
    """Returns whether the iterations rise in each run, and from run to run of a sample. number: of
    each run its sample."""
    falls = np.append(0, np.cumsum(~(iteration[1:] > iteration[:-1]), dtype=np.int32))
    last = first + length - 1
    again = number[1:] == number[:-1]
    between = (iteration[last][:-1] < iteration[first][1:])[again]
    return bool((falls[last] == falls[first]).all() and between.all())


def samples(rows: pd.DataFrame, keys: Sequence[str]) -> Samples:
    """Returns the samples of rows with `launch` and `iteration`."""
    runs = runs_of(rows, [*keys, "launch"])
    return samples_of_runs(runs, rows["iteration"].to_numpy(float), keys)


class Measured(NamedTuple):
    """Samples, and the values of the rows that their places point to."""

    samples: Samples
    values: Floats


def measured(results: Results, column: str) -> Measured:
    """Returns the samples of each case and algorithm that is timed, and the values of a column.
    Only rows with a value count: a cycle is timed once a turn, so most rows have none; of other
    columns all rows have one."""
    values = results.rows[column].to_numpy(float)
    if column != TIMES[CYCLE]:
        return Measured(timed_samples(results), values)
    return results.once(("measured", column), lambda: measured_rows(results, values))


def measured_rows(results: Results, values: Floats) -> Measured:
    timed = results.runs.index.isin(results.timed_runs.index)
    known = np.repeat(timed, results.runs[ROWS]) & ~np.isnan(values)
    keys = [*PAIR, "launch", "iteration"]
    return Measured(samples(results.rows[keys][known], PAIR), values[known])


def timed_samples(results: Results) -> Samples:
    """Returns the samples of each case and algorithm, of results.rows; those that are timed."""
    return results.once(
        "samples",
        lambda: samples_of_runs(
            results.timed_runs, results.rows["iteration"].to_numpy(float), PAIR
        ),
    )
