# SPDX-License-Identifier: BSD-3-Clause
"""How near each algorithm comes to the model that --measure-model measured, over all cases.

Shares of the measured median, in percent: model, of the algorithm's own time by Hockney's model;
bound, of the bound that no collective comes below in that model. The median, the least and the most
over the cases with equal blocks and without an arrival pattern; `agreport summary` has each case.
"""

from argparse import Namespace

import pandas as pd

from agformats.errors import BadInput
from agreport.cli import inputs, program
from agreport.data.load import Results
from agreport.stats.summary import summarise
from agreport.times.model_shares import PANEL, has_model, shares


def load(options: Namespace) -> Results:
    results = inputs.load_selected(options)
    if not has_model(results):
        raise BadInput(
            f"{', '.join(options.files)}: no launch has a model, and times of equal blocks without "
            "an arrival pattern; legal: result files of launches with --measure-model"
        )
    return results


def table(results: Results, options: Namespace) -> pd.DataFrame:
    summary = summarise(results, options.metric)
    found = shares(results, summary, getattr(options, "program", None))
    grouped = found[found["bound_percent"].notna()].groupby([*PANEL, "algorithm"], observed=True)
    columns = {"cases": grouped.size()}
    for share in ("model", "bound"):
        for name, what in (("median", "median"), ("least", "min"), ("most", "max")):
            columns[f"{share}_{name}_percent"] = grouped[f"{share}_percent"].agg(what)
    order = {name: place for place, name in enumerate(results.catalogue)}
    return pd.DataFrame(columns).sort_index(
        key=lambda level: level.map(order) if level.name == "algorithm" else level
    )


def on_page(results: Results, _: Namespace) -> Results | None:
    if not has_model(results):
        return None
    program.find(None)
    return results
