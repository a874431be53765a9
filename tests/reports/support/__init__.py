# SPDX-License-Identifier: BSD-3-Clause
"""Holds what tests of reports share: invented files, a stand-in for the program, what is drawn."""
