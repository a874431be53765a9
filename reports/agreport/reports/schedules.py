# SPDX-License-Identifier: BSD-3-Clause
"""The reports on what allgather_schedule knows without results."""

from agformats import paths
from agformats.catalogue import catalogue
from agreport.cli import program
from agreport.cli.later import Module
from agreport.cli.report import Report
from agreport.cli.rows import choice, count, flag, one_of, option, together, value

source = Module("schedules.source")
schedule = Module("schedules.schedule_figure")
tree = Module("schedules.tree")
rings = Module("schedules.rings")
mapping = Module("schedules.mapping")
distributions = Module("schedules.distributions")
cost = Module("schedules.cost_figure")

MOST_RANKS = 32  # in a figure

MAPPINGS = tuple(each.name for each in catalogue().mappings if each.selectable)

COLLECTIVE, GATHERS = "--collective", "allgather"  # an option, and its value if it is not given

# These options are handed on to the program as they are.
PASSED = {
    COLLECTIVE: ("NAME", "whose algorithm it is (default: allgather)"),
    "--ranks-per-node": ("N", "ranks on a node, for algorithms that use nodes"),
    "--topology": ("FILE", "switches and hosts, for algorithms that use them"),
    "--hosts": ("LIST|FILE", "hosts in the order in which ranks fill them"),
    "--bytes": ("BYTES", "size of a block, for algorithms that cut blocks"),
    "--root": ("RANK", "of a collective that has one"),
}

add_schedule = together(
    value("--algorithm", "NAME", "as allgather_schedule names it"),
    value("--ranks", "NUMBER", f"at most {MOST_RANKS}", type=count),
    *(value(name, *described) for name, described in PASSED.items()),
    value(
        "--schedule",
        "FILE",
        "read what `allgather_schedule show --format json` wrote instead (-: standard input)",
        type=paths.file_or_input,
    ),
    program.add_program,
)

add_steps = value(
    "--steps", "LIST", "draw only these, such as 0,3 or 0:4 (default: all)", figure=True
)

# A command that hands the collective on by of_collective has this option.
add_collective = value(COLLECTIVE, *PASSED[COLLECTIVE])

add_scratch = together(
    add_schedule,
    add_steps,
    flag(
        "--scratch",
        "draw the buffers as the algorithm works in them: those of bruck begin with the rank's own "
        "block",
    ),
)

add_tree = together(
    add_schedule,
    value(
        "--block",
        "LIST",
        "whose tree is drawn, such as 0,3, or all; 2.1 is the second segment of rank 2's "
        "(default: %(default)s)",
        default="0",
    ),
)

add_rings = together(
    option(
        "--algorithms", "--algorithm", required=True, metavar="LIST", help="such as bruck,sparbit"
    ),
    value(
        "--ranks",
        "LIST",
        f"numbers of ranks: 8 or 2:300; a figure has one, of {MOST_RANKS} at most",
        required=True,
    ),
    add_collective,
    add_steps,
    program.add_program,
)

add_mapping = together(
    value("--nodes", "NUMBER", "such as 4", required=True, type=count),
    value("--ranks-per-node", "NUMBER", "slots of a node", required=True, type=count),
    value("--ranks", "NUMBER", "default: as many as there are slots", type=count),
    value("--mapping", "LIST", "such as cyclic (default: %(default)s)", default=",".join(MAPPINGS)),
    value("--algorithm", "NAME", "whose messages are drawn and counted"),
    add_collective,
    add_steps,
    program.add_program,
)

add_distributions = together(
    value("--ranks", "NUMBER", "such as 16", required=True),
    value("--bytes", "SIZE", "the base size, such as 1024", required=True),
    value("--distributions", "LIST", "as allgather_schedule names them (default: all)"),
    program.add_program,
)

NODES, RANKS_PER_NODE = "1:64", "1,2,4,8,12,16,24,32,64,128"

CURVES = "sparbit:sequential,bruck:cyclic"

SCALES = LOG, LINEAR, RELATIVE = "log", "linear", "relative"

add_cost = together(
    *(
        value(
            name,
            "LIST",
            f"numbers of {counted}: 2,4 or 1:8 (default: {default}, or all of --costs)",
        )
        for name, counted, default in (
            ("--nodes", "nodes", NODES),
            ("--ranks-per-node", "ranks per node", RANKS_PER_NODE),
        )
    ),
    one_of(
        value(
            "--curves",
            "ALGORITHM:MAPPING,...",
            "what is drawn (default: %(default)s)",
            default=CURVES,
        ),
        value(
            "--algorithms",
            "LIST",
            f"what is drawn: each of these with {' and '.join(MAPPINGS)}",
        ),
    ),
    value(
        "--costs",
        "FILE",
        "read what `allgather_schedule cost` wrote instead",
        type=paths.file,
    ),
    add_collective,
    choice(
        "--scale",
        SCALES,
        f"{LINEAR}: as in Loch (2021); {RELATIVE}: costs over those of the first curve",
    ),
    program.add_program,
)

REPORTS = (
    Report(
        "schedule",
        schedule,
        options=add_scratch,
        load=source.load,
        table=lambda found, options: found.table(schedule.choose_steps(options, found)),
        draw=lambda found, _, options: schedule.draw(
            found, source.settings(options), schedule.choose_steps(options, found), options.scratch
        ),
    ),
    Report(
        "tree",
        tree,
        options=add_tree,
        load=tree.load,
        table=lambda data, _: tree.table(data[1]),
        draw=lambda data, _, options: tree.draw(data[0], data[1], source.settings(options)),
    ),
    Report(
        "rings",
        rings,
        options=add_rings,
        load=rings.load,
        table=lambda rows, _: rows,
        draw=lambda rows, _, options: rings.draw(rows, options.steps),
        parts=lambda rows, *_: rings.parts(rows),
    ),
    Report(
        "mapping",
        mapping,
        options=add_mapping,
        load=mapping.load,
        table=lambda placed, _: placed.nodes if placed.locality is None else placed.locality,
        draw=lambda placed, _, options: mapping.draw(placed, options),
        parts=lambda placed, *_: mapping.parts(placed),
    ),
    Report(
        "distributions",
        distributions,
        options=add_distributions,
        load=distributions.load,
        table=lambda sizes, _: sizes,
        draw=lambda sizes, _, options: distributions.draw(sizes, options.bytes),
    ),
    Report(
        "cost",
        cost,
        options=add_cost,
        load=cost.load,
        table=lambda costs, _: costs.rows,
        draw=lambda costs, _, options: cost.draw(costs, options.scale),
    ),
)
