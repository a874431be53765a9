# SPDX-License-Identifier: BSD-3-Clause
"""The reports on arrival patterns and on traces of arrivals."""

import re
from functools import partial

from agformats import paths
from agformats.durations import LEGAL, microseconds
from agformats.errors import Illegal
from agformats.files.beside_results import PER_RANK_SUFFIX
from agreport.cli import options as opt
from agreport.cli.later import Module
from agreport.cli.report import OnPage, Report
from agreport.cli.rows import (
    choice,
    count,
    flag,
    legal,
    one_of,
    option,
    output,
    several,
    together,
    value,
)

inputs = Module("cli.inputs")
size_by = Module("arrivals.size_by")
experiments = Module("arrivals.experiments")
arrival_caveats = Module("diagnostics.arrival_caveats")
rank_delays = Module("data.rank_delays")
arrival = Module("arrivals.arrival")
absorption = Module("arrivals.absorption")
delays = Module("arrivals.delays")
computation = Module("arrivals.computation")
trace = Module("trace.command")

PERMUTATIONS = 20_000  # that are drawn of two samples

SIZE_BY = ("block", "total")
add_size_by = together(
    choice("--size-by", SIZE_BY, "what sizes are: of a block, or of the whole gathered vector"),
    several(
        "--total-bytes",
        "NUMBERS",
        "only cases with these sizes of the whole gathered vector, as --bytes takes them",
    ),
)

SIZES = opt.Need(add_size_by, size_by.settle_size_by)

add_axis_or_wins = together(
    one_of(
        opt.x_axis("delay", "bytes", "ranks"),
        flag(
            "--wins",
            "draw how many cases each algorithm wins, by delay and by size",
            figure=True,
        ),
    ),
    choice(
        "--statistic",
        opt.STATISTICS,
        "of the figure's lines; gains and wins are of means",
        figure=True,
    ),
    choice("--format", ("text", "markdown"), "of the table"),
)

IMBALANCES = ("normalised", "asked")

add_comparison = together(
    opt.x_axis("imbalance", "bytes"),
    value(
        "--baseline",
        "NAME",
        "the algorithm that others are compared with (default: the overall fastest, by the "
        "geometric mean of medians)",
    ),
    choice(
        "--imbalance",
        IMBALANCES,
        "horizontal axis at the left: the asked imbalance over the reference's balanced time, or "
        "itself",
        figure=True,
    ),
    flag(
        "--unpaired",
        "deal all values anew in the permutation test, as in the paper, instead of exchanging the "
        "two of an iteration",
    ),
    value(
        "--permutations",
        "NUMBER",
        "of the test (default: %(default)s)",
        type=partial(count, least=1000),
        default=PERMUTATIONS,
    ),
)

BYTES = re.compile("([0-9]{1,18})(?::([0-9]{1,18}))?")


def message_time_us(text: str) -> float:
    if (time := microseconds(text)) <= 0:
        raise Illegal(f"{LEGAL}, above 0")
    return time


def size_range(text: str) -> tuple[int, int]:
    """Returns the smallest and the largest size of BYTES or LOW:HIGH. Raises Illegal."""
    if match := BYTES.fullmatch(text):
        low, high = int(match[1]), int(match[2] or match[1])
        if low <= high:
            return low, high
    raise Illegal("bytes: 64, or 64:4096 (LOW:HIGH); 18 digits at most, and LOW is not above HIGH")


add_trace = together(
    option("folders", type=paths.name, nargs="+", metavar="DIR", help="what libagtrace.so wrote"),
    value(
        "--site",
        "NUMBER",
        "only this call site, by its number in the table",
        type=partial(count, least=0),
    ),
    several("--operation", "NAME,...", "only these, such as MPI_Allgather,MPI_Allgatherv"),
    value(
        "--size",
        "BYTES|LOW:HIGH",
        "only calls whose messages have so many bytes",
        type=legal(size_range),
    ),
    value(
        "--message-time",
        "TIME",
        "of one message, such as 1.5us: what imbalance factors are relative to (default: by its "
        "size, as the trace measured it between the first rank and the last)",
        type=legal(message_time_us),
    ),
    output("--calls", "write a row a call", ".csv"),
    output(
        "--export",
        "write the arrival times of one call site (default: the all-gather called the most)",
    ),
)

REPORTS = (
    Report(
        "arrival",
        arrival,
        needs=(
            opt.ALGORITHMS,
            SIZES,
            opt.Need(add_axis_or_wins, arrival.no_wins_of_medians),
            opt.START,
        ),
        table=lambda results, _: experiments.experiments(results),
        draw=arrival.draw,
        diagnostics=lambda results, *_: arrival_caveats.arrival_caveats(results),
        parts=arrival.list_parts,
        on_page=(
            OnPage(
                "When ranks arrive at different times",
                "Lines: average elapsed time of each algorithm against the delay",
                {"x": "delay", "wins": False},
                arrival.with_patterns,
                parts=False,
            ),
            OnPage(
                "Which algorithm wins when ranks arrive at different times",
                "Stacked bars: how many experiments each algorithm wins, by delay and by block "
                "size",
                {"wins": True},
                arrival.with_patterns,
            ),
        ),
    ),
    Report(
        "absorption",
        absorption,
        needs=(
            opt.ALGORITHMS,
            SIZES,
            opt.Need(add_comparison, absorption.settle_comparison),
            opt.START,
        ),
        table=absorption.table,
        draw=absorption.draw,
        diagnostics=absorption.find_diagnostics,
        parts=absorption.list_parts,
        on_page=(
            OnPage(
                "How much of an imbalance is absorbed",
                "Lines: ratio of median run times with significance, and normalised absorption "
                "against normalised imbalance",
                {"x": "imbalance", "imbalance": IMBALANCES[0], "first": 3},
                absorption.compare_with_fastest,
            ),
        ),
    ),
    Report(
        "delays",
        delays,
        options=opt.add_companions("per-rank files", PER_RANK_SUFFIX),
        needs=(opt.START,),
        load=lambda options: inputs.load_companions(
            options, rank_delays.load_delays, "delays"
        ).rows,
        table=delays.table,
        draw=lambda rows, _, options: delays.draw(rows, options),
        parts=delays.list_parts,
        on_page=(
            OnPage(
                "Whether ranks arrived as asked",
                "Scatter: asked against achieved delays; error by rank",
                select=delays.load_beside,
            ),
        ),
    ),
    Report(
        "computation",
        computation,
        needs=(opt.START,),
        load=computation.load,
        table=computation.summarise,
        draw=computation.draw,
        parts=computation.list_parts,
    ),
    Report(
        "trace",
        trace,
        options=add_trace,
        load=trace.load,
        table=trace.table,
        draw=trace.draw,
        parts=trace.parts,
        write=trace.write,
    ),
)
