# SPDX-License-Identifier: BSD-3-Clause
"""What other benchmark programs print: OSU, Intel MPI Benchmarks, nccl-tests."""
