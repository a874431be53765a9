# SPDX-License-Identifier: BSD-3-Clause
"""The fastest of the MPI library's own algorithms, as settings of the library."""
