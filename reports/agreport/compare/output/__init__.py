# SPDX-License-Identifier: BSD-3-Clause
"""The comparison as text, figure, JSON and JUnit."""
