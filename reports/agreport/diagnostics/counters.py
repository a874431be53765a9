# SPDX-License-Identifier: BSD-3-Clause
"""What network, energy and throttling counters of the hosts did in each case (--record counters).

A counter is read on each host just before the first timed call of a case and just after the last.
So what synchronises the ranks is in it, and whatever else the host did meanwhile. The algorithm is
`together` where the calls of several took turns: the counters are of all of them. Printed are the
counters that moved; --csv and --json have all.
"""

from argparse import Namespace
from collections.abc import Iterator

import pandas as pd

from agformats.catalogue import catalogue
from agreport.cli.render import to_records
from agreport.cli.report import Part
from agreport.data.counters import COUNTER
from agreport.data.load import CASE, PAIR, Results
from agreport.figure.words import plural

SENT = r"^(?:net/(?!lo/)[^/]+/tx_bytes|infiniband/.*/port_xmit_data)$"
UNREADABLE = "cannot be read"  # what a host does not have at all is no surprise
US_A_SECOND = 1e6


def tabulate(results: Results) -> pd.DataFrame:
    """Returns one row for each counter of a host, for each algorithm in each case. Of launches that
    are one sample, differences (NaN if a launch has none), the time between the readings and calls
    are summed up; launches: how many they are."""
    keys = [*PAIR, "total_bytes", *COUNTER]
    rows = results.rows.astype(dict.fromkeys(COUNTER, "object"))
    rows = rows.assign(without_change=rows["difference"].isna())
    grouped = rows.groupby(keys, observed=True, sort=False)
    found = grouped[["difference", "between_us", "calls"]].sum()
    found["difference"] = found["difference"].where(~grouped["without_change"].any())
    found = found.assign(
        per_call=found["difference"] / found["calls"],
        per_second=US_A_SECOND * found["difference"] / found["between_us"],
        launches=grouped["launch"].nunique(),
    )
    return found.reset_index()


def bytes_sent(results: Results) -> pd.DataFrame:
    """Returns what each card sent in a call, over the hosts of the launch that made the call,
    beside what the ranks of an all-gather receive. Launches that are one sample may have had other
    hosts each. A launch of which some host's bytes are not known does not count."""
    gathers = catalogue().of_kind("allgather")
    rows = results.rows
    rows = rows[rows["counter"].astype(str).str.match(SENT) & rows["collective"].isin(gathers)]
    rows = rows.astype(dict.fromkeys(COUNTER, "object"))
    keys = [*PAIR, "total_bytes", "counter"]
    rows = rows.assign(lacks=rows["difference"].isna())
    launches = rows.groupby([*keys, "launch"], observed=True, sort=False)
    rows = rows[~launches["lacks"].transform("any")]
    of_launch = rows.groupby([*keys, "launch"], observed=True, sort=False).agg(
        difference=("difference", "sum"), calls=("calls", "first")
    )
    sums = of_launch.groupby(level=keys, observed=True, sort=False).sum()
    found = rows.groupby(keys, observed=True, sort=False).agg(hosts=("host", "nunique"))
    found = found.assign(sent_per_call=sums["difference"] / sums["calls"])
    found = found[found["sent_per_call"] > 0].reset_index()
    received = (found["ranks"] - 1) * found["total_bytes"]
    return found.assign(
        received_per_call=received, ratio=found["sent_per_call"] / received.where(received > 0)
    )


def find_diagnostics(results: Results, _: pd.DataFrame, __: Namespace) -> Iterator[str]:
    for launch in results.launches:
        reasons = launch.metadata.get("counters_left_out", "")
        if UNREADABLE in reasons:
            yield f"{launch.path}: counters are left out: {reasons}"
    lacking = results.rows[results.rows["difference"].isna()]
    for row in lacking.drop_duplicates(["host", "counter"]).to_dict("records"):
        yield (
            f"{results.launches[row['launch']].path}: {row['host']}: {row['counter']} "
            f"{row['reason']} (with blocks of {row['bytes']} B)"
        )


def list_parts(results: Results, table: pd.DataFrame, _: Namespace) -> Iterator[Part]:
    moved = table[table["difference"].gt(0)]
    hosts = plural(table["host"].nunique(), "host")
    if moved.empty:
        yield f"No counter moved: {hosts}."
        return
    sent = bytes_sent(results)
    if len(sent):
        yield "Bytes sent a call, of all hosts, and what all ranks receive", shown(sent)
    yield f"What moved ({hosts})", shown(moved)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the table without what all its cases have in common (but with the block size),
    without total_bytes and between_us, and with differences as whole numbers."""
    facts = [name for name in (*CASE, "launches") if name in table and table[name].nunique() == 1]
    hidden = [*(name for name in facts if name != "bytes"), "total_bytes", "between_us"]
    whole = table.drop(columns=hidden, errors="ignore")
    if "difference" in whole:
        whole = whole.astype({"difference": "int64"})
    return whole


def document(results: Results, table: pd.DataFrame, options: Namespace) -> dict[str, object]:
    return {
        "counters": to_records(table),
        "bytes_sent": to_records(bytes_sent(results)),
        "files": [str(launch.path) for launch in results.launches],
        "left_out": [*results.left_out, *find_diagnostics(results, table, options)],
    }
