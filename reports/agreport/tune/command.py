# SPDX-License-Identifier: BSD-3-Clause
"""The fastest of the MPI library's own algorithms per size and ranks, as settings of the library.

After STAGE-MPI (Faraj 2006, 4.1). Of the rows native:NAME; `native` itself is what is gained over.
Prints a Markdown table. --openmpi FILE also writes what Open MPI 4.1 and 5.0 read as
coll_tuned_dynamic_rules_filename. --mpich FILE (experimental) also writes what MPICH 4 reads as
MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE. --agstar FILE also writes the profile that libagstar.so
reads as AGSTAR_PROFILE; without one of these two, or --own, the table then is of the algorithms
that libagstar could run. --refine prints what to measure next instead of the table, to halve the
gaps between sizes in which the fastest algorithm changes. --verify FILE.toml writes a sweep that
measures what the settings gain, and prints the commands that run it. --check FILE writes nothing:
it reads a site's own file, Open MPI's dynamic rules or MPICH's selection, and says what it chooses
in each measured case and how much longer that takes than the best.
"""

import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from agformats.errors import BadInput
from agformats.files.outputs import write_text
from agformats.files.result_file import CALL
from agformats.notes import tell
from agreport.cli import inputs, render, settle
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import CASE, PANEL, SETTING, Results
from agreport.data.total_sizes import require_ranks_times_block
from agreport.figure.words import time_of
from agreport.reports.algorithms import TIE, TIE_BETWEEN_LAUNCHES
from agreport.tune import agstar_profile, check, mpich_selection, openmpi_rules
from agreport.tune.choices import choose, median_times, next_sizes, ties, why_none
from agreport.tune.mpich_selection import selection_file
from agreport.tune.openmpi_rules import rules_file
from agreport.tune.refinement import SIDES, commands, sweep_text

PLACE = [SETTING, "mapping"]  # what a profile tells apart
ONE_OF_EACH = [column for column in PANEL if column not in (SETTING, "collective")]


def run(options: Namespace) -> None:
    require_consistent(options)
    if options.check:
        check_file(options)
        return
    results = settle.settle_metric(options, inputs.load_selected(options))
    texts: dict[Path, str] = {}  # all texts are made before any is written
    if options.agstar:
        asked = bool(options.arrival or options.pattern)
        texts[options.agstar] = agstar_profile.profile_file(results, asked, options.metric)
    if is_of_profile(options):
        results = agstar_profile.only_runnable(results)
    found = chosen(results, options)
    texts |= library_files(results, found, options)
    for path, text in texts.items():
        write_text(path, text)
    tell(f"agreport: chosen by the median {time_of(options.metric)}")
    settings = library_settings(options)
    if texts:
        tell_settings(options, settings)
    if options.verify:
        verify(options.verify, sweep_text(results, found, settings), options.metric)
    if options.refine:
        sys.stdout.write(commands(results, next_sizes(found)) or f"# nothing: {why_none(found)}\n")
    else:
        render.write(found, options)


def tell_settings(options: Namespace, settings: Mapping[str, str]) -> None:
    of_agstar = agstar_profile.settings(options.agstar) if options.agstar else {}
    words = " ".join(f"{name}={value}" for name, value in {**settings, **of_agstar}.items())
    tell(f"agreport: use it with {words}")


def check_file(options: Namespace) -> None:
    file = check.read(options.check)
    results = settle.settle_metric(options, inputs.load_selected(options))
    require_one_of_each(results)
    check.require_fitting(results, options.check, file)
    times = median_times(results, options.metric)
    found = check.table(results, times, file, find_ties(results, times, options.tie))
    render.write(found, options)
    for sentence in check.summary(options.check, file, found):
        tell(f"agreport: {sentence}")


def library_files(results: Results, found: pd.DataFrame, options: Namespace) -> dict[Path, str]:
    """Returns the texts that make MPI libraries choose what was found, by the path of the file that
    each is for. Refuses blocks that differ in size: libraries compare the mean or the sum of the
    blocks of a call, which results of such a distribution do not tell. Raises BadInput."""
    texts: dict[Path, str] = {}
    if options.openmpi:
        require_ranks_times_block(results, "--openmpi")
        texts[options.openmpi] = rules_file(results, found)
    if options.mpich:
        require_ranks_times_block(results, "--mpich")
        texts[options.mpich] = selection_file(results, found, options.mpich_library)
    return texts


def library_settings(options: Namespace) -> dict[str, str]:
    """Returns the environment variables that make the libraries read the files of --openmpi and
    --mpich: name -> value."""
    of_openmpi = openmpi_rules.settings(options.openmpi) if options.openmpi else {}
    of_mpich = mpich_selection.settings(options.mpich) if options.mpich else {}
    return of_openmpi | of_mpich


def require_consistent(options: Namespace) -> None:
    of_library = [name for name in ("openmpi", "mpich") if getattr(options, name)]
    require_alone(options)
    if options.verify and not of_library:
        raise BadInput("--verify: give what is verified, --openmpi FILE or --mpich FILE.json")
    if bool(options.mpich) != bool(options.mpich_library):
        raise BadInput("--mpich FILE.json and --mpich-library LIBMPICH.SO: legal: both or neither")
    if options.own and of_library:
        raise BadInput(
            f"--{of_library[0]}: a library's rules name the library's own algorithms; not --own"
        )
    if options.agstar and options.metric not in (None, *agstar_profile.METRICS):
        raise BadInput(
            f"--agstar and --metric {options.metric}: libagstar measures averages over the ranks, "
            "and the slowest rank of broadcasts and reductions, which a profile has with either; "
            f"legal: --metric {' or '.join(agstar_profile.METRICS)}"
        )


def require_alone(options: Namespace) -> None:
    if not options.check:
        return
    for name in ("own", "openmpi", "mpich", "mpich_library", "agstar", "refine", "verify"):
        if getattr(options, name):
            option = f"--{name.replace('_', '-')}"
            raise BadInput(f"--check and {option}: legal: one of them; --check writes no settings")


def is_of_profile(options: Namespace) -> bool:
    """True if the table is of what libagstar could run."""
    return bool(options.agstar) and not (options.own or options.openmpi or options.mpich)


def chosen(results: Results, options: Namespace) -> pd.DataFrame:
    if is_of_profile(options) and not options.refine:
        return choose_by_place(results, options)
    require_one_of_each(results)
    return choose_algorithms(results, options)


def choose_algorithms(results: Results, options: Namespace) -> pd.DataFrame:
    own = options.own or is_of_profile(options)
    times = median_times(results, options.metric, own)
    return choose(times, find_ties(results, times, options.tie))


def choose_by_place(results: Results, options: Namespace) -> pd.DataFrame:
    """Chooses for each mapping, and for each setting of the launches, since a profile tells
    mappings and nodes apart. The index of the table that comes back also has those of the two that
    differ. Left out are those with times of `native` alone."""
    groups: Any = results.timed().groupby(PLACE, observed=True)
    parts = {
        place: choose_algorithms(results.keep(rows), options)
        for place, rows in groups
        if (rows["algorithm"] != LIBRARY).any()
    }
    found: pd.DataFrame = pd.concat(parts, names=PLACE)
    return found.droplevel([name for name in PLACE if found.index.unique(name).size == 1])


def find_ties(results: Results, times: pd.DataFrame, given: float | None) -> "pd.Series[float]":
    if given is not None:
        return pd.Series(given, times.index)
    found = ties(results, times)
    if apart := int(found.gt(TIE).sum()):
        tell(
            f"agreport: {apart} of {len(found)} cases are of launches that had not all "
            f"algorithms: there what is faster by less than {TIE_BETWEEN_LAUNCHES:g} % is no "
            "change, since launches differ (--tie)"
        )
    return found


def verify(file: Path, sweep: str, metric: str) -> None:
    """Writes the sweep that verifies the settings, and says how to run it, if anything is to be
    changed. metric: by which the settings were chosen, and are to be judged."""
    if not sweep:
        tell(f"agreport: {file} is not written: nothing is to be changed")
        return
    write_text(file, sweep)
    library, tuned = (Path("results", file.stem, "dataset", side) for side in SIDES)
    tell(
        f"agreport: what it gains: agsweep run {file} && agsweep collect {file} && "
        f"agreport compare --baseline {library} --new {tuned}"
        + (f" --metric {metric}" if metric != CALL else "")
    )


def require_one_of_each(results: Results) -> None:
    """Refuses results whose cases differ in more than collective, ranks and size: a library's rules
    know nothing else. Raises BadInput."""
    cases = results.timed()[CASE].drop_duplicates()
    if cases[SETTING].nunique() > 1:
        several = " | ".join(sorted(cases[SETTING].unique()))
        raise BadInput(
            f"launches of several settings, and rules cannot tell them apart: {several}; "
            "give the files of one"
        )
    for column in ONE_OF_EACH:
        values = sorted(cases[column].astype(str).unique())
        if len(values) > 1:
            raise BadInput(
                f"cases of several {column}s, and rules cannot tell them apart: choose one with "
                f"--{column}: {', '.join(values)}"
            )
