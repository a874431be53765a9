# SPDX-License-Identifier: BSD-3-Clause
"""Numbers from iterations: times, intervals, tests, and who wins a case."""
