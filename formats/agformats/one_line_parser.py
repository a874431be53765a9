# SPDX-License-Identifier: BSD-3-Clause
"""An argument parser that says what is wrong in one line, without the usage in front of it."""

from argparse import ArgumentParser
from typing import NoReturn


class OneLineParser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\n")
