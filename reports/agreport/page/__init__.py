# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained page of everything that result files tell."""
