# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI builds ran where and how: one row for launches that are alike in that."""

import pandas as pd

from agreport.data.load import Results
from agreport.data.machines import shorten

# What a launch says of itself; the mappings are in its rows.
KEYS = {
    "collective": "collective",
    "mpi": "mpi",
    "note.build": "build",
    "hosts": "hosts",
    "nodes": "nodes",
    "ranks": "ranks",
    "oversubscribed": "oversubscribed",
    "sync": "sync",
    "thread_level": "thread level",
}
NUMBERS = ("nodes", "ranks")  # sorted as such, here and by the reader
ORDER = ["collective", "mpi", "build", "ranks"]


def launches_table(results: Results) -> pd.DataFrame:
    mappings = results.runs.groupby("launch", observed=True)["mapping"].unique()
    rows = []
    for number, launch in enumerate(results.launches):
        named = {name: launch.metadata.get(key, "") for key, name in KEYS.items()}
        found = mappings.get(number, pd.Series(dtype=str))
        start = launch.metadata.get("start", "")
        rows.append({**named, "mapping": ", ".join(sorted(map(str, found))), "start": start})
    table = pd.DataFrame(rows)
    for name in NUMBERS:
        if table[name].str.isdecimal().all():
            table[name] = table[name].astype(int)
    table = table.sort_values(ORDER, kind="stable")
    alike = [column for column in table if column != "start"]
    grouped = table.groupby(alike, sort=False)["start"]
    found = grouped.agg(launches="size", first_start="min").reset_index()
    for key, name in KEYS.items():
        if name not in NUMBERS:
            found[name] = [shorten(key, text) for text in found[name]]
    return found[[column for column in found if found[column].ne("").any()]]
