# SPDX-License-Identifier: BSD-3-Clause
"""Chromium without a window, in which pages are opened from files, with no network."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright


@contextmanager
def chromium() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.fail("there is no chromium: make setup-dev installs it")
    with sync_playwright() as playwright:
        # Root has no sandbox; the pages are ours.
        launched = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()


@contextmanager
def opened(browser: Browser, file: Path) -> Iterator[Page]:
    """A page; what it says on the console or asks the network for is an error."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    errors: list[str] = []
    requests: list[str] = []

    def said(message: ConsoleMessage) -> None:
        errors.append(message.text)

    page.on("console", said)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url[:60]))
    page.goto(file.as_uri())
    yield page
    assert errors == []
    assert [url for url in requests if not url.startswith("data:")] == [file.as_uri()[:60]]
    context.close()
