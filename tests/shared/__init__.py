# SPDX-License-Identifier: BSD-3-Clause
"""Holds what the tests of several folders use."""
