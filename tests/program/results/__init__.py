# SPDX-License-Identifier: BSD-3-Clause
"""Tests what is printed and written, and what of it is left when a launch ends too early."""
