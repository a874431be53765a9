# SPDX-License-Identifier: BSD-3-Clause
"""What `agreport tune` writes: do MPI libraries and `libagstar.so` go by it?"""
