# SPDX-License-Identifier: BSD-3-Clause
"""Figures 1 to 4 of Pappalardo et al.: times of back-to-back calls against the size.

They go into a folder in the paper's order, with an index page. A time is the median of a call over
the iterations of a launch, of five launches the median; the paper has the total of 100,000 calls,
which is that of period_us. Clusters are the notes that jobs/sweeps/pappalardo.toml gives. What the
data set has no cases for is named there.
"""

from argparse import Namespace

from agreport.commands import report
from agreport.page.publication import Item, Publication


def figure(name: str, text: str, cluster: str, ranks: str) -> Item:
    where = ("--collective", "allgather", "--where", f"cluster={cluster}", "--ranks", ranks)
    return Item(name, text, report("scaling"), where)


ITEMS = (
    figure("figure1", "8 processes on one machine", "local", "8"),
    figure("figure2", "32 processes on one machine", "local", "32"),
    figure("figure3", "8 processes on 8 machines", "cloud", "8"),
    figure("figure4", "32 processes on 8 machines", "cloud", "32"),
)


PUBLICATION = Publication("pappalardo", "Pappalardo et al., section V", ITEMS)


def write(options: Namespace) -> None:
    PUBLICATION.write(options)
