# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of a history, and its tables; the same in every output."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from agreport.compare.sides import name_case
from agreport.compare.words import format_change, to_percent
from agreport.figure.words import plural, size_label

from .findings import CHANGE, NEWEST, SINGLE, WRONG, Finding, History
from .states import SERIES_KEYS, describe_states

ENDS = {
    CHANGE: "",
    SINGLE: "; this version alone, those after it are as those before: no change, a bad night",
    NEWEST: "; the newest version alone: a change or a bad night, the next version tells",
    WRONG: "",
}
YOUNG_END = "; the newest {} versions: a change or bad nights, the next versions tell"
HEADS = {CHANGE: "since", SINGLE: "only", NEWEST: "newest", WRONG: "since"}


def varied(history: History) -> list[str]:
    return [key for key in SERIES_KEYS if history.cases.get_level_values(key).nunique() > 1]


def case_name(history: History, number: int) -> str:
    *case, state = history.cases[number]
    name = name_case(tuple(case), varied(history))
    return f"{name}, {state} state" if state else name


def sentence(history: History, finding: Finding) -> str:
    version = history.versions[finding.place]
    count = f"{len(finding.cases)} of {plural(finding.of, 'case')}"
    how = WRONG if finding.kind == WRONG else "slower" if finding.slower else "faster"
    by = "" if finding.kind == WRONG else factors(finding)
    which = ", ".join(filter(None, (collectives(history, finding), sizes(history, finding), by)))
    keys = "; ".join(f"{key}: {old} -> {new}" for key, old, new in finding.with_it)
    with_it = f"; with it: {keys}" if keys else "; with it: no key that is known"
    head, end = HEADS[finding.kind], ENDS[finding.kind]
    age = len(history.versions) - finding.place
    if finding.kind == NEWEST and age > 1:
        head, end = HEADS[CHANGE], YOUNG_END.format(age)
    return f"{head} {version.dated}: {count} {how}, {which}{end}{with_it}"


def collectives(history: History, finding: Finding) -> str:
    found = history.cases.get_level_values("collective")[finding.cases]
    return " and ".join(sorted({str(each) for each in found}))


def sizes(history: History, finding: Finding) -> str:
    """Returns the sizes of a finding's cases in words, such as: 16K bytes and more."""
    levels = history.cases.get_level_values("bytes")
    every = sorted({int(each) for each in levels})
    found = sorted({int(each) for each in levels[finding.cases]})
    if len(every) == 1:
        return f"{size_label(every[0])} bytes"
    if found == every:
        return "all sizes"
    low, high = (f"{size_label(each)} bytes" for each in (found[0], found[-1]))
    if len(found) == 1:
        return low
    if found == [each for each in every if found[0] <= each <= found[-1]]:
        if found[-1] == every[-1]:
            return f"{low} and more"
        return f"up to {high}" if found[0] == every[0] else f"{low} to {high}"
    return ", ".join(map(size_label, found)) + " bytes"


def factors(finding: Finding) -> str:
    nearest, farthest = format_change(finding.factors[-1]), format_change(finding.factors[0])
    return farthest if nearest == farthest else f"{nearest.removesuffix(' %')} to {farthest}"


def describe(history: History) -> str:
    """Returns the sentences that say what was looked at, which medians were left out or moved, and
    whether the machine had two states."""
    launches = plural(sum(len(each.launches) for each in history.versions), "launch", "launches")
    unit = "versions" if history.series.by_versions else "launches"
    text = (
        f"{plural(len(history.versions), 'version')} by {history.by}, {launches}, "
        f"{plural(len(history.cases), 'case')}: medians of {history.metric}_us, changes tested by "
        f"{unit} over all cases together."
    )
    if history.zero:
        text += f" {history.zero} medians of 0 have no logarithm and are left out."
    if moved := history.series.moved:
        text += (
            f" {moved} of {int((~np.isnan(history.series.values)).sum())} medians of launches are "
            "far from those of the same version, and are moved towards them."
        )
    if keys := history.results.pooled:
        text += (
            f" Launches of one version differ in {', '.join(keys)} and are taken together all the "
            "same (--pool)."
        )
    return text + describe_states(history.results, history.across)


def verdict(history: History) -> str:
    newest = history.versions[-1].dated
    failed = history.failed
    if failed:
        since = {
            how: history.versions[min(places)].dated
            for how, is_wrong in (("WRONG RESULTS", True), ("SLOWER", False))
            if (places := [each.place for each in failed if (each.kind == WRONG) == is_wrong])
        }
        (first, begin), *more = since.items()
        rest = "".join(f"; {how} since {other}" for how, other in more)
        return f"verdict: {first}: the newest version, {newest}, since {begin}{rest}"
    if history.lost:
        count = f"{history.lost} of {plural(history.known, 'case')}"
        others = "; the others are not slower than before it" if history.decides else ""
        return f"verdict: not measured in the newest version, {newest}: {count}{others}"
    if not history.decides:
        return f"verdict: too few versions or launches to judge the newest version, {newest}"
    return f"verdict: the newest version, {newest}, is not slower than before it"


def sentences(history: History) -> Iterator[str]:
    found = [sentence(history, each) for each in history.findings]
    yield from found or ["no change was found"]


def tabulate(history: History) -> pd.DataFrame:
    """Returns a table with a row for each case of each finding; it is empty if there is none."""
    frames = []
    for each in history.findings:
        keys = history.cases[each.cases].to_frame(index=False)
        version, before = history.versions[each.place], history.versions[max(0, each.place - 1)]
        more = {
            "change_percent": to_percent(each.factors),
            "low_percent": to_percent(each.low),
            "high_percent": to_percent(each.high),
            "p": each.p,
        }
        head = {
            "kind": each.kind,
            "before": before.name,
            "since": version.name,
            "date": version.date,
        }
        frames.append(keys.assign(**more).assign(**head)[[*head, *SERIES_KEYS, *more]])
    columns = ["kind", "before", "since", "date", *SERIES_KEYS]
    columns += ["change_percent", "low_percent", "high_percent", "p"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def versions_table(history: History) -> pd.DataFrame:
    """Returns a table with a row for each version: how many launches and cases it has, and by what
    percentage its times are over those of the first stretch of versions, in the median of its
    cases (NaN if it has none)."""
    means, count = history.series.means()
    over = means - history.changes.level[0]
    middle = [
        float(np.median(row[~np.isnan(row)])) if (~np.isnan(row)).any() else np.nan for row in over
    ]
    return pd.DataFrame(
        {
            "version": [each.name for each in history.versions],
            "first launch": [each.date or "-" for each in history.versions],
            "launches": [len(each.launches) for each in history.versions],
            "cases": (count > 0).sum(axis=1),
            "over_first_%": to_percent(middle),
        }
    )
