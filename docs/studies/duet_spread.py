# SPDX-License-Identifier: BSD-3-Clause
"""How far apart two builds seem to be, in duets and in launches one after the other.

Takes a data set of `agsweep collect`, of a sweep with `pairing = "both"` (two-sides.toml):
each round is a duet, then a launch of each build alone, so both ways meet the same disturbances. Of
each way it prints log(median of the second build / median of the first) over the launches: its
standard deviation, and its mean, which for one build against itself is 0.
docs/background/compare_statistics.md shows results.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

CASE = ["collective", "bytes", "algorithm"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="of the data set")
    folder = parser.parse_args().folder
    try:
        manifest = json.loads((folder / "manifest.json").read_text())
        rows = pd.read_parquet(
            folder / "results.parquet",
            columns=["launch", *CASE, "avg_us", "status"],
            pre_buffer=False,
        )
    except (OSError, ValueError) as error:  # ValueError: of what is no JSON, or no Parquet
        what = getattr(error, "strerror", "") or error
        sys.exit(f"duet_spread: {folder}: {what}; legal: a folder of agsweep collect")
    medians = (
        rows[rows["status"] == "ok"].groupby(["launch", *CASE], observed=True)["avg_us"].median()
    )
    duets = [one for one in manifest["files"] if one["partner"]]
    alone = [one for one in manifest["files"] if not one["partner"]]
    if not duets or not alone:
        missing = "launches alone" if duets else "duets"
        sys.exit(f'duet_spread: {folder}: has no {missing}; legal: a sweep with pairing = "both"')
    builds = list(manifest["builds"])
    found = [spread(medians, builds, duets, "duet"), spread(medians, builds, alone, "alone")]
    print(pd.concat(found, axis=1).round(3).reset_index().to_string(index=False))


def spread(
    medians: "pd.Series[float]", builds: list[str], files: list[dict[str, Any]], how: str
) -> pd.DataFrame:
    """A row a case: of the log ratios of the launches, and the median time of the first build.

    files: what the manifest says of them; medians: by the number that a file's launch has in the
    data set, and by case.
    """
    first, second = builds
    told = pd.DataFrame(files)[["number", "build", "launch"]].set_index("number")
    of_files = medians[medians.index.isin(told.index, level=0)].reset_index(name="us")
    of_files = of_files.rename(columns={"launch": "number"}).join(told, on="number")
    times = of_files.pivot_table(
        index=[*CASE, "launch"], columns="build", values="us", observed=True
    )
    log_ratio = (times[second] / times[first]).map(np.log).groupby(CASE, observed=True)
    return pd.DataFrame(
        {
            f"{how}: sd": log_ratio.std(),
            f"{how}: mean": log_ratio.mean(),
            f"{how}: us of {first}": times[first].groupby(CASE, observed=True).median(),
        }
    )


if __name__ == "__main__":
    main()
