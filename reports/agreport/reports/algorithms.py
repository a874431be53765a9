# SPDX-License-Identifier: BSD-3-Clause
"""The reports on what an algorithm does: alone, beside others, and against a model."""

from argparse import ArgumentTypeError

from agformats import paths
from agformats.files.result_file import SCHEDULE
from agformats.notes import tell
from agreport.cli import options as opt
from agreport.cli import program
from agreport.cli.later import Module
from agreport.cli.report import OnPage, Report
from agreport.cli.rows import choice, count, flag, output, percent, together, value
from agreport.data.algorithm_sets import LIBRARY

scaling = Module("times.scaling")
speedup = Module("times.speedup")
impact = Module("times.impact")
overlap = Module("times.overlap")
variation = Module("times.variation")
series = Module("times.series")
model = Module("times.model")
predict = Module("times.predict")
tune = Module("tune.command")
words = Module("figure.words")

MOST_LINES = 8

# The figures of a page have these, where a user would choose.
ON_PAGE: dict[str, object] = {"algorithms": [], "top": None}

TOP = opt.Need(
    value(
        "--top",
        "NUMBER",
        "only so many algorithms, those that are nearest to the best in the median case, and the "
        f"baseline or native (default: {MOST_LINES}, or all of --algorithms)",
        type=count,
    )
)

X_AXIS = opt.Need(opt.x_axis("bytes", "ranks"))

VERTICAL = opt.Need(
    choice(
        "--y",
        ("time", "ratio", "bandwidth", SCHEDULE),
        "the vertical axis: the time, over the lowest time of the case, the bus bandwidth, or the "
        "time to make a schedule",
    ),
    scaling.settle_vertical,
)

add_baseline = value(
    "--baseline",
    "NAME",
    "the algorithm that the others are compared with (default: %(default)s)",
    default=LIBRARY,
)

add_normal = flag(
    "--normal",
    "over each histogram draw the normal distribution of the same mean and standard deviation",
    figure=True,
)

HEADING = "Share of the measured model: the algorithm's time in it, and its bound, over the median"

FACTOR = 2.0


def factor(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 1 < value < float("inf"):
        raise ArgumentTypeError(f"'{text}' is no factor; legal: a number above 1, such as 2")
    return value


add_predicted = together(
    opt.add_inputs,
    value(
        "--costs", "FILE", "what `allgather_schedule cost` wrote", type=paths.file, required=True
    ),
    value(
        "--off",
        "FACTOR",
        "name the cases where measured and predicted are further apart than this, either way "
        "(default: %(default)g)",
        type=factor,
        default=FACTOR,
    ),
)

# Percent by which another algorithm has to be faster to be chosen: of times of one launch, and of
# different launches, which differ by 5 to 11 % as a whole (docs/background/method.md).
TIE, TIE_BETWEEN_LAUNCHES = 2.0, 10.0

add_tuned = together(
    opt.add_inputs,
    opt.METRIC.add,
    value(
        "--tie",
        "PERCENT",
        "what is faster by less replaces neither native nor the algorithm of the next smaller size "
        f"(default: {TIE:g}, and {TIE_BETWEEN_LAUNCHES:g} where no launch had all algorithms of a "
        "case)",
        type=percent,
    ),
    flag(
        "--own",
        "choose from the suite's own algorithms as well, which no rules of a library can name",
    ),
    output("--openmpi", "write Open MPI's dynamic rules; an older one is replaced"),
    output(
        "--mpich",
        "experimental: write MPICH's selection; an older one is replaced",
        ".json",
        metavar="FILE.json",
    ),
    value(
        "--mpich-library",
        "LIBMPICH.SO",
        "of which --mpich takes the selection of all that was not measured",
        type=paths.file,
    ),
    output(
        "--agstar",
        "write libagstar's profile: what it may expect of the algorithms that it could run; an "
        "older one is replaced",
    ),
    flag("--refine", "instead of the table, print the sizes to measure next, as commands"),
    output(
        "--verify",
        "write a sweep of native without and with --openmpi or --mpich, for agsweep; an older one "
        "is replaced",
        ".toml",
        metavar="FILE.toml",
    ),
    value(
        "--check",
        "FILE",
        "a site's file, of Open MPI (coll_tuned_dynamic_rules_filename) or MPICH "
        "(MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE): print what it costs, the most costly case "
        "first",
        type=paths.file,
    ),
    opt.add_table,
    lambda parser: parser.set_defaults(format="markdown"),
)

REPORTS = (
    Report(
        "speedup",
        speedup,
        logs=True,
        needs=(
            *(opt.METRIC, X_AXIS, opt.Need(add_baseline)),
            *(opt.Need(opt.add_algorithms, speedup.with_baseline), TOP, opt.START),
        ),
        table=speedup.table,
        draw=scaling.draw,
        on_page=(
            OnPage(
                "Speed-up over {baseline}",
                "Lines: how many times as fast as {baseline} each algorithm is, with bands",
                ON_PAGE,
            ),
        ),
    ),
    Report(
        "scaling",
        scaling,
        logs=True,
        needs=(opt.ALGORITHMS, TOP, VERTICAL, opt.METRIC, X_AXIS, opt.START),
        table=scaling.table,
        draw=scaling.draw,
        on_page=(
            OnPage(
                "Time against block size",
                "Lines: median time of each algorithm against block size, with confidence bands",
                {**ON_PAGE, "y": "time"},
            ),
            OnPage(
                "Time against ranks",
                "Lines: median time of each algorithm against ranks, with confidence bands",
                {**ON_PAGE, "y": "time", "x": "ranks"},
                lambda results, _: results if results.rows["ranks"].nunique() > 1 else None,
            ),
        ),
    ),
    Report(
        "impact",
        impact,
        needs=(opt.METRIC, X_AXIS, opt.ALGORITHMS, TOP, opt.START),
        table=impact.table,
        draw=scaling.draw,
        on_page=(
            OnPage(
                "Impact of what goes on at the same time",
                "Lines: time with something beside it over the time alone, with bands",
                ON_PAGE,
            ),
        ),
    ),
    Report("overlap", overlap, needs=(opt.ALGORITHMS,), table=overlap.table),
    Report(
        "variation",
        variation,
        needs=(opt.ALGORITHMS, TOP, opt.METRIC, opt.UNITED),
        table=variation.variations,
        draw=variation.draw,
        on_page=(
            OnPage(
                "How much iterations vary",
                "Distribution functions of each algorithm's coefficient of variation",
                ON_PAGE,
            ),
        ),
    ),
    Report(
        "series",
        series,
        needs=(opt.ALGORITHMS, opt.METRIC, opt.Need(add_normal, series.one_case)),
        table=series.series,
        draw=series.draw,
        on_page=(
            OnPage(
                "The iterations of the case that varies most",
                "For each algorithm, the time of every iteration in order, and their histogram",
                {"normal": False},
                select=series.select_most_varied,
            ),
        ),
    ),
    Report(
        "model",
        model,
        options=together(opt.add_inputs, program.add_program),
        needs=(opt.METRIC,),
        load=model.load,
        table=model.table,
        write=lambda _, __, options: tell(
            f"agreport: {words.what_a_time_is('median', options.metric)}"
        ),
        on_page=(OnPage(HEADING, select=model.on_page),),
    ),
    Report(
        "predict",
        predict,
        logs=True,
        options=add_predicted,
        needs=(opt.Need(opt.add_metric, predict.settle_call),),
        load=predict.load,
        table=predict.compare,
        draw=predict.draw,
        parts=predict.parts,
    ),
    Report("tune", tune, options=add_tuned, run=tune.run),
)
