# SPDX-License-Identifier: BSD-3-Clause
"""Times by the model that --measure-model measured, and their shares of the measured medians.

Nothing here draws, since Python programs ask for these numbers too.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from agformats.case_words import EQUAL_BLOCKS
from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files.csv_text import Kind
from agformats.notes import tell
from agreport.cli import program
from agreport.data.arrival_labels import NONE
from agreport.data.load import PAIR, SETTING, Launch, Results
from agreport.stats.summary import summarise

PANEL = [SETTING, "collective", "mapping"]
PRICES = Kind(
    f"a table of costs by {program.NAME}",
    {
        **dict.fromkeys(["algorithm"], "string"),
        **dict.fromkeys(["ranks", "bytes"], "int64"),
        **dict.fromkeys(["cost", "bound"], "float64"),
    },
    ("cost",),
)
MODEL, PREFIX = "model", "hockney:"  # the metadata key, and how its value begins
# Launches that are one sample may have a model each.
GROUP = [*PANEL, "ranks"]
AT_A_TIME = 4  # programs


class Question(NamedTuple):
    """The arguments with which the program is asked for the prices of one group of cases."""

    group: dict[str, Any]
    sizes: list[int]
    model: str


def model_of(launches: Sequence[Launch]) -> str:
    """Returns the model as the program reads it, with the median over the launches of each
    parameter. Where a message holds all blocks there is no further message, so tau is 0."""
    median = pd.DataFrame([parameters(each) for each in launches]).median()
    if launches[0].metadata.get("noncontiguous", "pipelined") != "pipelined":
        median["tau"] = 0
    return PREFIX + ",".join(f"{name}={value!r}" for name, value in median.items())


def parameters(launch: Launch) -> dict[str, float]:
    text = launch.metadata[MODEL]
    try:
        parts = [part.split("=") for part in text.removeprefix(PREFIX).split(",")]
        return {name: float(value) for name, value in parts}
    except ValueError:
        legal = f"{PREFIX}alpha=SECONDS,beta=SECONDS_A_BYTE,tau=SECONDS"
        raise BadInput(f"{launch.path}: its model is '{text}'; legal: {legal}") from None


def questions(results: Results) -> Iterator[Question]:
    if not any(MODEL in launch.metadata for launch in results.launches):
        return
    rows = results.timed()
    rows = rows[(rows["distribution"] == EQUAL_BLOCKS) & (rows["arrival"] == NONE)]
    for group, cases in rows.groupby(GROUP, observed=True):
        launches = [results.launches[number] for number in cases["launch"].unique()]
        if having := [each for each in launches if MODEL in each.metadata]:
            sizes = sorted(map(int, cases["bytes"].unique()))
            yield Question(dict(zip(GROUP, group, strict=True)), sizes, model_of(having))


def has_price(label: str, collective: str) -> bool:
    """Returns whether the schedule of an algorithm is known without where the ranks are, when they
    arrive, and into which messages the blocks go."""
    name, *given = label.split(":")
    known = catalogue().algorithm(name, collective)
    if known is None or not known.has_schedule:
        return False
    keys = [each.name for each in known.parameters]
    named = all(part.partition("=")[0] in keys for part in given)
    return named and not known.node_aware and not known.arrival_aware


def any_of(collective: str) -> str:
    """Returns the first algorithm with a price that runs with any number of ranks. The program is
    asked for this one too, so that it always tells the bound."""
    able = (each for each in catalogue().algorithms if each.needs == "any p")
    return next(each.name for each in able if has_price(each.name, collective))


def prices(results: Results, given: Path | None) -> pd.DataFrame:
    """Returns a row for each case and algorithm: the columns of PRICES and GROUP. cost is the time
    by the model and bound the bound of the case, both in us. given: where the program is."""
    asked = list(questions(results))
    names = results.timed_algorithms()

    def ask(one: Question) -> pd.DataFrame:
        collective = str(one.group["collective"])
        priced = [name for name in names if has_price(name, collective)]
        listed = ",".join(dict.fromkeys([*priced, any_of(collective)]))
        sizes = ",".join(map(str, one.sizes))
        found = program.read(
            PRICES, given, "cost", "--algorithms", listed, "--ranks", str(one.group["ranks"]),
            "--bytes", sizes, "--model", one.model, "--collective", collective,
        )  # fmt: skip
        return found.assign(**one.group)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return pd.concat(pool.map(ask, asked), ignore_index=True)


def shares(results: Results, summary: pd.DataFrame, given: Path | None) -> pd.DataFrame:
    """Returns a row for each row of the summary of these results: model_us, the time by the model;
    model_percent, that time over the measured median; and bound_percent, the bound over the
    measured median. Cases with blocks of different sizes or an arrival pattern have NaN."""
    found = prices(results, given)
    rows = summary.reset_index()[[*PAIR, "median_us"]]
    fits = (rows["distribution"] == EQUAL_BLOCKS) & (rows["arrival"] == NONE)
    texts = dict.fromkeys([*GROUP[:-1], "algorithm"], "str")
    rows, found = rows.astype(texts), found.astype(texts)
    found["ranks"] = found["ranks"].astype("int64")
    case = [*GROUP, "bytes"]
    bound = found.drop_duplicates(case).set_index(case)["bound"]
    cost = found.set_index([*case, "algorithm"])["cost"]
    model_us = rows.join(cost, on=[*case, "algorithm"])["cost"].where(fits)
    bound_us = rows.join(bound, on=case)["bound"].where(fits)
    columns = {
        "model_us": model_us,
        "model_percent": 100 * model_us / rows["median_us"],
        "bound_percent": 100 * bound_us / rows["median_us"],
    }
    return pd.DataFrame(columns).set_index(summary.index)


def has_model(results: Results) -> bool:
    """Returns whether a case has a model."""
    return any(True for _ in questions(results))


def with_model(results: Results, metric: str, given: Path | None = None) -> pd.DataFrame:
    """Returns the summary, with the columns of the model that have values. If the program cannot
    tell them, a warning says so and the summary comes alone."""
    found = summarise(results, metric)
    if not has_model(results):
        return found
    try:
        return found.join(shares(results, found, given).dropna(axis="columns", how="all"))
    except BadInput as error:
        tell(f"agreport: warning: no shares of the model: {error}")
        return found
