# SPDX-License-Identifier: BSD-3-Clause
"""The MPI library: its own algorithms, its settings, which one was loaded."""
