# SPDX-License-Identifier: BSD-3-Clause
"""Doubt about ranks that did not begin together although no pattern asked them to be apart."""

from collections.abc import Iterator

from agreport.data.arrival_labels import NONE
from agreport.data.load import PAIR, Results
from agreport.data.rows import grouped
from agreport.figure.words import count_of

UNSYNCHRONISED = "none"  # --sync: there ranks are as far apart as the program makes them
HIGHEST_SHARE = 0.1  # of the median elapsed time


def ranks_apart(results: Results) -> Iterator[str]:
    rows = results.timed()[[*PAIR, "launch", "imbalance_us", "avg_us"]]
    apart = [
        number
        for number, launch in enumerate(results.launches)
        if launch.metadata.get("sync") == UNSYNCHRONISED
    ]
    kept = rows["arrival"].eq(NONE) & rows["imbalance_us"].notna() & ~rows["launch"].isin(apart)
    rows = rows if kept.all() else rows[kept]
    pairs = grouped(rows, PAIR)
    medians = rows[["imbalance_us", "avg_us"]].groupby(pairs.number).median().set_axis(pairs.index)
    shares = (medians["imbalance_us"] / medians["avg_us"])[medians["avg_us"] > 0]
    if over := int(shares.gt(HIGHEST_SHARE).sum()):
        worst = shares.idxmax()
        assert isinstance(worst, tuple)
        named = dict(zip(PAIR, worst, strict=True))
        yield (
            f"Ranks did not begin together: the median imbalance is over {100 * HIGHEST_SHARE:g} % "
            f"of the median elapsed time in {count_of(over, len(shares))} pairs of case and "
            f"algorithm, at most {100 * shares.max():.3g} % ({named['algorithm']}, "
            f"{named['bytes']} B on {named['ranks']} ranks). What the synchronisation leaves is "
            "in the times. Measure with --sync dissemination, which leaves the same with every "
            "MPI library, or with --sync window, which leaves least if each rank has a core."
        )
