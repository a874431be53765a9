# SPDX-License-Identifier: BSD-3-Clause
"""Holds what the tests of programs share: launches, what they leave behind, and faults to plant."""
