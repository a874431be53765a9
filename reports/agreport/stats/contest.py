# SPDX-License-Identifier: BSD-3-Clause
"""Finds who wins each case, and by how much: the numbers behind every figure and table."""

from dataclasses import dataclass

import pandas as pd

from agreport.data.load import CASE, ELAPSED, Results
from agreport.stats.times import Times, times_of

IMPROVEMENT = "improvement_percent"


@dataclass(frozen=True)
class Contest:
    """The chosen algorithm against the others, by one statistic over a case's iterations."""

    chosen: str
    others: list[str]
    statistic: str
    united: bool = False  # of each algorithm the better of its mappings

    @property
    def everyone(self) -> list[str]:
        return [self.chosen, *self.others]

    def times(self, results: Results, metric: str) -> Times:
        times = times_of(results, metric, self.statistic, self.united)
        return results.once(
            ("contest", *self.everyone, self.statistic, self.united, metric),
            lambda: times.of(self.everyone).once(self.chosen),
        )

    def verdicts(self, results: Results, metric: str) -> pd.DataFrame:
        """Returns a table with a row for each case found, timed or not; a time that does not exist
        is NaN.

        fastest: by the statistic; of equally fast ones the chosen one, else the first; tied:
        several are equally fast; of_mapping: the mapping of the fastest one's time; rival: the
        fastest but the chosen one; won: the chosen one is strictly faster than every other; near:
        those that the fastest is not called better than; clear: the chosen one won, and there are
        no near ones; compared: the chosen one and at least one other have a time.
        """
        what = "verdicts", *self.everyone, self.statistic, self.united, metric
        return results.once(what, lambda: self.judge(self.times(results, metric)))

    def judge(self, times: Times) -> pd.DataFrame:
        chosen, others = times.us[self.chosen], times.us[self.others]
        rival_us = others.min(axis=1)
        rival = others.dropna(how="all").idxmin(axis=1).reindex(times.us.index)
        won = chosen < rival_us
        near = times.near_names()
        first = (chosen <= rival_us) | (rival.isna() & chosen.notna())
        fastest = rival.mask(first, self.chosen)
        return pd.DataFrame(
            {
                "chosen_us": chosen,
                "rival": rival,
                "rival_us": rival_us,
                IMPROVEMENT: (1 - chosen / rival_us) * 100,
                "fastest": fastest,
                "of_mapping": times.mapping_of(fastest),
                "compared": chosen.notna() & rival_us.notna(),
                "won": won,
                "near": near,
                "tied": times.tied(),
                "clear": won & near.eq(""),
            }
        )

    def all_verdicts(self, results: Results) -> pd.DataFrame:
        """Returns the verdicts by each elapsed time, whose name, the metric, is the last level of
        the index."""
        metrics = pd.CategoricalIndex(list(ELAPSED), list(ELAPSED))  # sorts as ELAPSED does
        joined = pd.concat([self.verdicts(results, m) for m in ELAPSED], keys=metrics)
        return joined.rename_axis(index=["metric", *CASE]).reorder_levels([*CASE, "metric"])
