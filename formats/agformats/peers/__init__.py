# SPDX-License-Identifier: BSD-3-Clause
"""Reads what other benchmark programs print: OSU, Intel MPI Benchmarks, nccl-tests."""
