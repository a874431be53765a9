# SPDX-License-Identifier: BSD-3-Clause
"""Heat maps, boxplots, tables and pages from gatherbench result files.

For Python programs, these names stay as they are:

    import agreport
    rows = agreport.load(["run.csv"])               # a pandas DataFrame, a row an iteration
    launches = agreport.launches(["run.csv"])       # what each launch says of itself
    table = agreport.summary(["run.csv"], metric="max")
    agreport.BadInput                               # what all raise

All else in the package may change. Importing it changes no settings, of matplotlib or else.
"""

from collections.abc import Sequence
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from agformats.errors import BadInput, check_known

if TYPE_CHECKING:
    import pandas as pd

    from agreport.data.load import Results

__all__ = ["BadInput", "launches", "load", "summary"]

Names = str | Path | Sequence[str | Path]
Facts = str | Sequence[str]  # a text is one of them
MOST_RANKS = 10**9  # as in a log that says them


def load(
    files: Names,
    by: Facts | None = None,
    pool: Facts = (),
    ranks: int | None = None,
) -> "pd.DataFrame":
    """Returns the iterations that count, as every report has them: one row an iteration.

    files: result files, globs, folders or data sets, as `agreport` takes them. by, pool: as the
    options --by and --pool: the facts that keep launches apart, and those in which launches may
    differ that are one sample all the same. ranks: of logs of other programs that do not say it; 1
    or more.

    Columns: `setting` is what keeps the row's launch apart from others that measured the same case,
    an empty text where nothing has to. `launch` is the number of its launch, in the order of the
    files. `pattern` is the name of the arrival pattern, without parameters. All others are those of
    the result files (docs/reference/names.md), without total_bytes and prepare_us; names that
    end in _us are times in microseconds, `bytes` is a block's size. What does not exist is NaN.
    Texts are categories.

    A row of another program's log (OSU, IMB, nccl-tests) is a mean: its `iteration` is NaN, and its
    `nodes` is 0 where the log does not say it.

    Not among them: skipped and late iterations, and all of an algorithm in a case in which a result
    of it was wrong.

    Raises BadInput, a text of one line: no such file, one that is no result file or is broken, the
    same launch twice, launches of one case that differ although `by` is given. Unlike `agreport`,
    it leaves no file out. OSError: a file may not be read. Warnings go to standard error.
    """
    return results_of(files, by, pool, ranks).timed().reset_index(drop=True)


def launches(files: Names, ranks: int | None = None) -> "pd.DataFrame":
    """Returns what the launches say of themselves: one row a launch, of the number that load gives
    it.

    Columns: `file`, and each metadata key (docs/reference/names.md) that one of them says, as
    a text; NaN where a launch does not say it. The files and the errors are those of load.
    """
    import pandas as pd

    found = results_of(files, None, (), ranks).launches
    table = pd.DataFrame([{"file": str(each.path), **each.metadata} for each in found])
    return table.rename_axis(index="launch")


def summary(
    files: Names,
    metric: Literal["min", "avg", "max", "run", "cycle"] = "avg",
    by: Facts | None = None,
    pool: Facts = (),
    ranks: int | None = None,
) -> "pd.DataFrame":
    """Returns the table of `agreport summary`: one row a setting, case and algorithm. It has the
    shares of the model, too, where launches have one and allgather_schedule is found.

    metric: min, avg and max are of the call, over the ranks; run is last exit minus first arrival;
    cycle is write, call and read. Files may lack run and cycle. The other arguments and the errors
    are those of load.
    """
    from agformats.files.result_file import METRICS
    from agreport.times.model_shares import with_model

    check_known("metric", [metric], [*METRICS], "a metric")
    return with_model(results_of(files, by, pool, ranks), metric).reset_index()


def results_of(files: Names, by: Facts | None, pool: Facts, ranks: int | None) -> "Results":
    from agreport.data.load import read_files  # with pandas: takes a second
    from agreport.data.peer_launches import LogRules

    require_ranks(ranks)
    given = [files] if isinstance(files, str | Path) else files
    results = read_files([str(name) for name in given], rules=LogRules(ranks or 0))
    return results.apart(None if by is None else facts(by), facts(pool))


def require_ranks(ranks: int | None) -> None:
    is_number = isinstance(ranks, Integral) and not isinstance(ranks, bool)
    if ranks is not None and not (is_number and 1 <= ranks < MOST_RANKS):
        legal = f"1 to {MOST_RANKS - 1}, or None"
        raise BadInput(f"ranks: {ranks!r} is no number of ranks; legal: {legal}")


def facts(given: Facts) -> Sequence[str]:
    return [given] if isinstance(given, str) else given
