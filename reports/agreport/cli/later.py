# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose modules are imported when they are called. The rows of reports name them so:
options and help texts need neither pandas nor matplotlib, which take a second to import."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Later:
    """A function of a module of agreport. The module is imported when the function is called."""

    module: str
    name: str

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.found()(*arguments, **named)

    def found(self) -> Any:
        return getattr(import_module(f"agreport.{self.module}"), self.name)


@dataclass(frozen=True)
class Module:
    """A module of agreport, by its path in the package, such as winners.heatmap. Its attributes
    are its functions, which import it when they are called."""

    path: str

    def __getattr__(self, name: str) -> Later:
        return Later(self.path, name)

    def docstring(self) -> str:
        """Returns the docstring of the module, without importing it."""
        source = PACKAGE.joinpath(*self.path.split(".")).with_suffix(".py")
        return source.read_text(encoding="utf-8").split('"""', 2)[1]
