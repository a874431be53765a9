# SPDX-License-Identifier: BSD-3-Clause
"""How far apart two builds seem to be, in duets and in launches one after the other.

Takes two data sets of `agsweep collect`, with the same cases and the same two builds: one of a
sweep with `pairing = "duet"`, one with `pairing = "alternate"` (studies/two-sides.toml). Of each it
prints log(median of the second build / median of the first) over the launches: its standard
deviation, and its mean, which for one build against itself is 0. docs/duets.md shows results.
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
    parser.add_argument("duets", type=Path, help="folder of the data set of duets")
    parser.add_argument("alternated", type=Path, help="folder of that of alternated launches")
    options = parser.parse_args()
    found = [spread(options.duets, "duet"), spread(options.alternated, "alone")]
    print(pd.concat(found, axis=1).round(3).reset_index().to_string(index=False))


def spread(folder: Path, how: str) -> pd.DataFrame:
    """A row a case: of the log ratios of the launches, and the median time of the first build."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text())
    except OSError as error:
        sys.exit(f"duet_spread: {folder}: {error.strerror}; legal: a folder of agsweep collect")
    first, second = manifest["builds"]
    medians = pd.concat(medians_of(folder / one["file"], one) for one in manifest["files"])
    times = medians.pivot_table(index=[*CASE, "launch"], columns="build", values="avg_us")
    log_ratio = (times[second] / times[first]).map(np.log).groupby(CASE)
    return pd.DataFrame(
        {
            f"{how}: sd": log_ratio.std(),
            f"{how}: mean": log_ratio.mean(),
            f"{how}: us of {first}": times[first].groupby(CASE).median(),
        }
    )


def medians_of(file: Path, entry: dict[str, Any]) -> pd.DataFrame:
    """A row a case, of one launch."""
    rows = pd.read_csv(file, comment="#")
    rows = rows[rows["status"] == "ok"]
    medians = rows.groupby(CASE)["avg_us"].median().reset_index()
    return medians.assign(build=entry["build"], launch=entry["launch"])


if __name__ == "__main__":
    main()
