# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI builds ran where and how: one row for launches that are alike in that."""

import re

import pandas as pd

from agreport.data.load import Results

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
LONGEST = 60  # hosts of many ranks; whole among everything a launch says


def launches_table(results: Results) -> pd.DataFrame:
    mappings = results.rows.groupby("launch", observed=True)["mapping"].unique()
    rows = []
    for number, launch in enumerate(results.launches):
        named = {name: shortened(launch.metadata.get(key, "")) for key, name in KEYS.items()}
        found = mappings.get(number, pd.Series(dtype=str))
        start = launch.metadata.get("start", "")
        rows.append({**named, "mapping": ", ".join(sorted(map(str, found))), "start": start})
    table = pd.DataFrame(rows)
    alike = [column for column in table if column != "start"]
    grouped = table.groupby(alike, sort=False)["start"]
    found = grouped.agg(launches="size", first_start="min").reset_index()
    return found[[column for column in found if (found[column] != "").any()]]


def shortened(text: str) -> str:
    """Of what an MPI library says of itself, its name and version."""
    text = re.split(r"[,;]", text)[0] if "MPI" in text else text
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
