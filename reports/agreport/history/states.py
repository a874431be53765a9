# SPDX-License-Identifier: BSD-3-Clause
"""Takes cases apart by the state that the machine was in, where it had two (stats/states.py).

A machine that is in its slow state for some versions makes them slower in all cases, whatever was
changed in them. So what was measured in one state is compared with what was measured in that state:
a case in a state is a case of its own.
"""

import numpy as np
import pandas as pd

from agreport.data.load import PAIR, Results
from agreport.stats.launch_interval import launch_medians
from agreport.stats.states import COUNTS, find_machines, states_of_samples

STATE = "state"  # empty: the case has one state, or nobody knows which
SERIES_KEYS = [*PAIR, STATE]
ACROSS = COUNTS[-1]


def medians_by_state(results: Results, column: str) -> tuple[pd.DataFrame, int]:
    """Returns the medians by SERIES_KEYS, a column a launch, and how many are left out since the
    state changed while they were measured."""
    medians = launch_medians(results, column)
    state = pd.Series("", medians.index)
    counts = states_of_samples(results, column)[COUNTS]
    if len(counts):
        names = np.array(COUNTS, object)[counts.to_numpy().argmax(axis=1)]
        of_sample = pd.Series(names, counts.index).reorder_levels(medians.index.names)  # type: ignore[arg-type]
        state = of_sample.reindex(medians.index).fillna("")
    across = state == ACROSS
    medians, state = medians[~across], state[~across]
    if len(counts):
        case = [name for name in medians.index.names if name != "launch"]
        several = state.groupby(level=case, observed=True).transform("nunique") > 1
        state = state.where(several, "")
    found = medians.to_frame("us").assign(**{STATE: state.to_numpy()})
    whole = found.set_index(STATE, append=True)["us"].unstack("launch")
    return pd.DataFrame(whole.reorder_levels(SERIES_KEYS)), int(across.sum())


def describe_states(results: Results, across: int) -> str:
    """Returns the sentence that the machine had two states; empty: it had one."""
    machines = find_machines(results)
    if not machines:
        return ""
    widest = max(machines, key=lambda one: one.split.apart).split
    left_out = f" {across} medians lie across a change of it and are left out." if across else ""
    return (
        f" The machine had two states: a cache line went to another core and back in "
        f"{widest.fast_us:.2g} us or in {widest.slow_us:.2g} us. What was measured in each is "
        f"compared with its like alone.{left_out}"
    )
