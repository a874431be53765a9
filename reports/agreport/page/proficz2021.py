# SPDX-License-Identifier: BSD-3-Clause
"""Tables 3 and 4 and figures 6 to 10 of Proficz (2021, section 4.3), from one data set.

They go into a folder in the paper's order, with an index page. Tables are written as CSV, Markdown
and LaTeX. Sizes are those of the whole gathered vector, and only the paper's five algorithms count.
What the data set has no cases for is named there.
"""

from argparse import Namespace

import pandas as pd

from agreport.arrivals import arrival_table
from agreport.arrivals.size_by import size_column
from agreport.commands import report
from agreport.page.publication import Item, Publication, Tables

PAPERS = ("--collective", "allgather", "--algorithms", "proficz2021", "--size-by", "total")
MEANS = ("--statistic", "mean")
EVERY_DELAY = (*PAPERS, "--pattern", "none,uniform")
MEDIUM_DELAY = (*PAPERS, "--arrival", "uniform:max=100ms")


def tables(found: pd.DataFrame, options: Namespace) -> Tables:
    size = size_column(options)
    return arrival_table.fastest(found, size), {"": arrival_table.side_by_side(found, size)}


def table(name: str, text: str, ranks: str) -> Item:
    arguments = (*EVERY_DELAY, "--ranks", ranks)
    return Item(name, text, report("arrival"), arguments, tables, arrival_table.LEGEND)


def figure(name: str, text: str, *arguments: str) -> Item:
    return Item(name, text, report("arrival"), arguments)


# The paper counts floats of 4 bytes: figure 8 has 256K, 9 has 2M, 10 has 512K of them.
ITEMS = (
    table("table3", "Fastest algorithm and gain, to 24 nodes", ":24"),
    table("table4", "Fastest algorithm and gain, from 25 nodes on", "25:"),
    figure("figure6", "Experiments won by each algorithm", *EVERY_DELAY, "--wins"),
    figure("figure7", "Times by total size", *MEDIUM_DELAY,
           "--ranks", "36", "--x", "bytes", *MEANS),
    figure("figure8", "Times by maximum delay, small vector",
           *EVERY_DELAY, "--ranks", "32", "--total-bytes", "1M", *MEANS),
    figure("figure9", "Times by maximum delay, large vector",
           *EVERY_DELAY, "--ranks", "48", "--total-bytes", "8M", *MEANS),
    figure("figure10", "Times by number of nodes",
           *MEDIUM_DELAY, "--total-bytes", "2M", "--x", "ranks", *MEANS),
)  # fmt: skip


PUBLICATION = Publication("proficz2021", "Proficz 2021, section 4.3", ITEMS)


def write(options: Namespace) -> None:
    PUBLICATION.write(options)
