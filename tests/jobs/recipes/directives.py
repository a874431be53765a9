# SPDX-License-Identifier: BSD-3-Clause
"""Runs a recipe without its tool: what it calls is written down."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock


@dataclass(frozen=True)
class Call:
    arguments: tuple[Any, ...]
    settings: dict[str, Any]


@dataclass
class Calls:
    of: dict[str, list[Call]] = field(default_factory=dict)

    def directive(self, name: str) -> Callable[..., None]:
        self.of[name] = []
        return lambda *given, **settings: self.of[name].append(Call(given, settings))

    def first_arguments(self, name: str) -> set[str]:
        return {call.arguments[0] for call in self.of[name]}


def run_recipe(
    path: Path, modules: Mapping[str, Mapping[str, object]], own: Mapping[str, object]
) -> dict[str, Any]:
    """The names of the recipe, which finds these modules in place of its tool's. `own` are names
    that the tool gives it."""
    made = {name: ModuleType(name) for name in modules}
    for name, names in modules.items():
        vars(made[name]).update(names)
    found: dict[str, Any] = {"__name__": "recipe", **own}
    with mock.patch.dict(sys.modules, made):
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), found)
    return found
