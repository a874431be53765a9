# SPDX-License-Identifier: BSD-3-Clause
"""What the page says about arrival patterns: times, absorption, and the delays that ranks had."""

import pandas as pd

from agformats.errors import BadInput
from agreport.arrivals import (
    absorption,
    arrival,
    arrival_table,
    delays,
    independence,
    prediction,
    wins,
)
from agreport.arrivals.absorption_table import (
    Comparison,
    absorbed,
    fastest,
    missing,
    with_run_times,
)
from agreport.arrivals.experiments import SETTING, experiments
from agreport.arrivals.prediction import prediction_table
from agreport.data.arrival_labels import NONE
from agreport.data.load import CASE, Results
from agreport.data.rank_delays import beside, load_delays
from agreport.figure.words import count_of
from agreport.page.parts import Table, inline
from agreport.stats.inference import PERMUTATIONS

# A page shows so many; the commands of their own show what is chosen.
FIRST_PANELS, FIRST_WINS, FIRST_SETTINGS, FIRST_DELAYS = 12, 3, 6, 4
# Per-rank files beyond this size are left to `agreport delays`.
LARGEST_RANKS_FILES = 200_000_000


def has_patterns(results: Results) -> bool:
    return bool((results.rows["arrival"] != NONE).any())


class ArrivalSections:
    """The parts of the template that only results with arrival patterns have."""

    def __init__(self, results: Results) -> None:
        found = experiments(results)
        self.lines = inline(arrival.draw(results, found, "delay", FIRST_PANELS))
        self.wins = inline(wins.draw(results, found, FIRST_WINS))
        self.tables = [(title, Table(frame)) for title, frame in arrival_table.sections(found)]
        self.legend = arrival_table.LEGEND
        self.prediction = Table(prediction_table(results))
        self.prediction_heading, self.prediction_legend = prediction.HEADING, prediction.LEGEND
        self.absorption = ""
        self.samples: list[tuple[str, Table]] = []
        self.notes: list[str] = []
        try:
            self.absorb(with_run_times(results))
        except BadInput as error:
            self.notes.append(f"No absorption: {error}.")
        self.errors = Table(delay_errors(results))
        self.delays, self.in_short = rank_delays(results)

    def absorb(self, results: Results) -> None:
        """Of the first settings: each takes a permutation test a case and algorithm."""
        tested = independence.samples(results)
        self.samples = [(name, Table(frame)) for name, frame in absorption.sample_tables(tested)]
        keys = results.rows[SETTING].drop_duplicates().sort_values(SETTING)
        few = results.keep(results.rows.merge(keys.head(FIRST_SETTINGS), on=SETTING))
        comparison = Comparison(fastest(results), True, PERMUTATIONS)
        found = absorbed(few, comparison)
        self.absorption = inline(
            absorption.draw(few, found, comparison, first_groups=FIRST_SETTINGS)
        )
        if len(keys) > FIRST_SETTINGS:
            self.notes.append(
                f"Absorption is drawn for {count_of(FIRST_SETTINGS, len(keys))} combinations of "
                f"{', '.join(SETTING)}; agreport absorption draws the others."
            )
        self.notes += [*independence.warnings(tested), *missing(found)]


def delay_errors(results: Results) -> pd.DataFrame:
    """How far the worst rank of an iteration was from what was asked, per pattern and ranks."""
    timed = results.timed()
    rows = timed[timed["delay_error_us"].notna()]
    grouped = rows.groupby(["arrival", "ranks"], observed=True)
    table = pd.DataFrame(
        {
            "asked_imbalance_us": grouped["asked_imbalance_us"].median(),
            "median_us": grouped["delay_error_us"].median(),
            "p95_us": grouped["delay_error_us"].quantile(0.95),
            "worst_us": grouped["delay_error_us"].max(),
        }
    ).reset_index()
    return table.sort_values("arrival", key=delays.in_order, kind="stable")


def rank_delays(results: Results) -> tuple[str, str]:
    """A figure and a sentence, if per-rank files are beside the results."""
    files = [beside(launch.path) for launch in results.launches]
    files = [path for path in files if path.is_file()]
    if not files:
        return "", "No per-rank times are beside the files (--record ranks writes them)."
    if sum(path.stat().st_size for path in files) > LARGEST_RANKS_FILES:
        return "", "The per-rank files are large: agreport delays draws what is chosen of them."
    try:
        rows = load_delays([str(path) for path in files])
    except BadInput as error:
        return "", f"{error}."
    cases = results.rows[CASE].drop_duplicates().astype({"arrival": str})
    rows = rows.astype({"arrival": str}).merge(cases, on=CASE)
    if rows.empty:
        return "", "The per-rank files have no delays of these cases."
    return inline(delays.draw(rows, FIRST_DELAYS)), delays.in_short(rows)
