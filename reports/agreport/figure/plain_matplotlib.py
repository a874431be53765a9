# SPDX-License-Identifier: BSD-3-Clause
"""matplotlib without what its user has set for other programs: the backend of a notebook, and files
`matplotlibrc` of this folder and of the home, which may be broken, and change every figure."""

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

# matplotlib reads the first file that there is: of this name in the working folder, or the one that
# the variable names. The folder of this module has none.
FILE, SETTINGS = "matplotlibrc", "MATPLOTLIBRC"
BACKEND = "MPLBACKEND"


def import_matplotlib() -> None:
    """Imports matplotlib without the user's settings, and turns off its warnings, such as that it
    has no folder to store things in. Call this before anything else imports matplotlib, and in a
    program alone: its warnings stay off for the rest of the process."""
    if "matplotlib" in sys.modules:
        return
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    before = {name: os.environ.pop(name, None) for name in (BACKEND, SETTINGS)}
    os.environ[SETTINGS] = os.devnull
    try:
        with away_from_settings():
            import matplotlib  # noqa: F401
    finally:
        del os.environ[SETTINGS]
        os.environ.update({name: text for name, text in before.items() if text is not None})


@contextmanager
def away_from_settings() -> Iterator[None]:
    """Works in the folder of this module while the block runs, if the working folder has a file
    that matplotlib would read its settings from."""
    if not os.path.lexists(FILE):
        yield
        return
    here = os.open(".", getattr(os, "O_PATH", os.O_RDONLY))
    os.chdir(Path(__file__).parent)
    try:
        yield
    finally:
        os.fchdir(here)
        os.close(here)


@contextmanager
def settings_of_figures(own: Mapping[str, object]) -> Iterator[None]:
    """Sets matplotlib's defaults and these, also where a program has imported it before, whose
    settings come back at the end."""
    import matplotlib as mpl

    # The default backend is left out: asking for it chooses one, and figures need none.
    defaults = {key: mpl.rcParamsDefault[key] for key in mpl.rcParamsDefault if key != "backend"}
    with mpl.rc_context({**defaults, **own}):
        yield
