# SPDX-License-Identifier: BSD-3-Clause
"""Says in words how good an algorithm, such as the MPI library's own, is on a machine."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from shlex import quote

import pandas as pd

from agformats.case_words import EQUAL_BLOCKS
from agformats.catalogue import catalogue
from agformats.units import exactly
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.arrival_labels import NONE
from agreport.data.load import CASE, Results
from agreport.figure.words import (
    AS_LAUNCHED,
    in_case,
    known_titles,
    one_launch,
    plural,
    same_text,
)
from agreport.stats.times import Times

LOSS, NEAR = "loss", "near_tie"  # columns of the table of losses
AS_GOOD = 1.05  # an algorithm that takes less than so many times the best one's time loses nothing
AS_GOOD_PERCENT = round(100 * (AS_GOOD - 1))
OVERSUBSCRIBED = "oversubscribed"  # the metadata key that says whether ranks share processors
# A launch may say these under that key, in the order in which a reader wants to know of it; beside
# them is what it says in words.
SHARING = {
    "no": "With a processor for each rank",
    "yes": "With ranks that share processors",
    "": "Here",
}
# These keys lack the mapping, since united cases have none of the launches' mappings.
KEYS = [name for name in CASE if name != "mapping"]


KEEP_SHARED = (
    "Change nothing because of the cases whose ranks share processors: there the operating system "
    "decides whose turn it is, and programs are seldom run so."
)
BROADCAST = "broadcast"  # a distribution whose name alone reads like MPI_Bcast


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of the answer. lead says what the text is about; it is in bold type where there
    is one."""

    lead: str
    text: str

    def __str__(self) -> str:
        return f"{self.lead} {self.text}" if self.lead else self.text


@dataclass(frozen=True)
class Standing:
    """Says how the chosen algorithm does in some cases. sharing says in which: yes, those whose
    ranks share processors; no, those with a processor for each rank; empty, those of launches that
    do not say."""

    chosen: str
    sharing: str
    losses: pd.DataFrame  # the cases in which the algorithm and another one have times

    @property
    def cases(self) -> int:
        return len(self.losses)

    @property
    def good(self) -> int:
        """Returns in how many cases it takes less than AS_GOOD times the best one's time."""
        return int((self.losses[LOSS] < AS_GOOD).sum())

    @property
    def behind(self) -> pd.DataFrame:
        """Returns the losses of the cases in which it surely takes longer."""
        return self.losses[(self.losses[LOSS] >= AS_GOOD) & ~self.losses[NEAR]]

    @property
    def slower(self) -> int:
        """Returns in how many cases it surely takes longer."""
        return len(self.behind)

    @property
    def untold(self) -> int:
        """Returns in how many cases it may take longer, but the difference cannot be called."""
        return self.cases - self.good - self.slower

    @property
    def where(self) -> str:
        """Returns in words what these cases are: With a processor for each rank (2 ranks)."""
        *first, last = map(str, sorted(map(int, self.losses.index.unique("ranks"))))
        ranks = f"{', '.join(first)} and {last}" if first else last
        return f"{SHARING[self.sharing]} ({ranks} {'rank' if ranks == '1' else 'ranks'})"

    def paragraph(self, who: str) -> Paragraph:
        sentences = [
            f"{who} is the fastest, or takes at most {AS_GOOD_PERCENT} % longer, in {self.good} of "
            f"{plural(self.cases, 'case')} ({100 * self.good / self.cases:.0f} %).",
            *self.counts(),
            *self.worst(),
            *self.good_from(),
        ]
        return Paragraph(f"{self.where}:", " ".join(sentences))

    def counts(self) -> Iterator[str]:
        if self.slower or self.untold:
            yield (
                f"It is slower in {self.slower}; in {self.untold} the difference cannot be called."
            )

    def worst(self) -> Iterator[str]:
        if self.slower:
            at = self.behind[LOSS].idxmax()
            worst = self.behind.loc[at]
            yield (
                f"At worst it takes {worst[LOSS]:.3g} times as long as {worst['best']}: "
                f"{self.case_text(at)}."
            )

    def case_text(self, at: Hashable) -> str:
        """Returns a case as MPI_Allgatherv, one rank sends (broadcast), 4 ranks, blocks of 4 B."""
        case = pd.Series(at, CASE).astype(str)
        case["collective"] = call_of(case["collective"])
        if case["distribution"] == BROADCAST:
            case["distribution"] = f"one rank sends ({BROADCAST})"
        if [*self.losses.index.unique("mapping")] == [AS_LAUNCHED]:
            case = case.drop("mapping")
        return in_case(case)

    def good_from(self) -> Iterator[str]:
        """Yields a sentence that says from which block size on it is as good as the best, if
        several such sizes were measured."""
        sizes = sorted(map(int, self.losses.index.unique("bytes")))
        behind = self.losses[self.losses[LOSS] >= AS_GOOD].index.get_level_values("bytes")
        above = [size for size in sizes if len(behind) and size > int(behind.max())]
        if self.slower and len(above) > 1:  # one size alone says little of those beyond it
            yield f"With blocks of {exactly(above[0])} and more it is nowhere slower."


def standings(results: Results, losses: pd.DataFrame, chosen: str) -> list[Standing]:
    """Returns a standing for each value of SHARING that some case has."""
    known = losses[losses[LOSS].notna()]
    sharing = sharing_of(results, known)
    found = [Standing(chosen, kind, known[(sharing == kind).to_numpy()]) for kind in SHARING]
    return [standing for standing in found if standing.cases]


def sharing_of(results: Results, losses: pd.DataFrame) -> "pd.Series[str]":
    """Returns of each case whether its ranks share processors, as one of SHARING: yes if they do so
    in one launch. A launch that says something else, as a note in a log may, does not say it."""
    told = [launch.metadata.get(OVERSUBSCRIBED, "") for launch in results.launches]
    says = [each if each in SHARING else "" for each in told]
    runs = results.timed_runs
    cases = runs[KEYS].assign(says=[says[number] for number in runs["launch"]])
    highest = cases.groupby(KEYS, observed=True)["says"].max()  # "" < "no" < "yes"
    keys = losses.index.to_frame(index=False)[KEYS]
    return keys.join(highest, on=KEYS)["says"].fillna("")


def in_words(
    results: Results, losses: pd.DataFrame, chosen: str, times: Times
) -> Iterator[Paragraph]:
    """Yields paragraphs that say how good the chosen algorithm is, and what to do. times: those
    that the losses are made of."""
    found = standings(results, losses, chosen)
    compared = losses["compared_with"] & losses[f"{chosen}_us"].notna()
    without = int((compared & losses[LOSS].isna()).sum())
    if not found and not without:
        yield Paragraph("", f"No case has times of {chosen} and of another algorithm to compare.")
    for sentence in one_launch(times) if found else ():
        lead, _, text = sentence.partition(": ")
        yield Paragraph(f"{lead}:", f"{text} Launch several times and give all files.")
    for place, standing in enumerate(found):
        yield standing.paragraph(chosen if place else introduced(results, chosen))
    if without:
        where = plural(without, "further case" if found else "case")
        takes = f"In {where} {chosen} takes longer than 0 µs, and the best algorithm 0 µs."
        yield Paragraph("", f"{takes} Nothing is a multiple of that, so no loss is said there.")
    if found:
        yield from what_to_do(results, found, nowhere="nowhere else" if without else "nowhere")
    yield from (Paragraph("", text) for text in same_text(results))


def introduced(results: Results, chosen: str) -> str:
    """Returns the algorithm's name; for the library's own with the MPI functions that it is."""
    if chosen != LIBRARY:
        return chosen
    there = set(results.timed_runs["collective"].astype(str))
    known = [each.name for each in catalogue().collectives if each.name in there]
    calls = map(call_of, [*known, *sorted(there.difference(known))])
    return f"{chosen}, the MPI library's own {' and '.join(calls)},"


def call_of(collective: str) -> str:
    """Returns the name of the collective's function of MPI: MPI_Allgather. One that this version
    does not know keeps its name."""
    title = known_titles().get(collective)
    return collective if title is None else f"MPI_{title}"


def what_to_do(
    results: Results, found: Sequence[Standing], nowhere: str = "nowhere"
) -> Iterator[Paragraph]:
    """Yields what a user of the library should do. Yields nothing of other algorithms, since
    nothing can be done about them. nowhere: the word for no case, or for none of those found."""
    slower = [standing for standing in found if standing.slower]
    if found[0].chosen != LIBRARY:
        return
    untold = sum(standing.untold for standing in found)
    if not slower and untold:
        text = (
            f"nothing, or launch more often: in {plural(untold, 'case')} the library may be "
            "slower, which cannot be called."
        )
    elif not slower:
        text = f"nothing. The library is {nowhere} slower."
    elif all(standing.sharing == "yes" for standing in slower):
        text = f"nothing. {KEEP_SHARED}"
    else:
        shared = any(standing.sharing == "yes" for standing in slower)
        text = " ".join([how_to_mend(results, slower), *([KEEP_SHARED] if shared else [])])
    yield Paragraph("What to do:", text)


def how_to_mend(results: Results, slower: Sequence[Standing]) -> str:
    """Returns advice with the command that makes the library choose better. The command is for
    equal blocks without arrival patterns, where such are timed, else for the worst case's."""
    behind = pd.concat([standing.behind for standing in slower])
    worst = behind.nlargest(1, LOSS).reset_index().iloc[0]
    tune = "agreport tune FILES"
    for column, ordinary in (("distribution", EQUAL_BLOCKS), ("arrival", NONE)):
        is_timed = results.timed_runs[column].eq(ordinary).any()
        tune += f" --{column} {quote(ordinary if is_timed else str(worst[column]))}"
    tune = f"`{tune}`"
    if any(name.startswith(f"{LIBRARY}:") for name in results.timed_algorithms()):
        return f"{tune} says which of its own algorithms the library should choose."
    return (
        "time the library's own algorithms too (`native:NAME` of --list); "
        f"then {tune} says which it should choose."
    )
