# SPDX-License-Identifier: BSD-3-Clause
"""Deconvolves traces by pylops-mpi, each rank its part, and gathers the model after each step."""

import sys
import time

import numpy as np
import pylops
import pylops_mpi
from mpi4py import MPI

ranks, rank = MPI.COMM_WORLD.Get_size(), MPI.COMM_WORLD.Get_rank()
samples, traces, steps = (int(word) for word in sys.argv[1:4])
begin = time.perf_counter()
time_axis = np.arange(21) * 0.004
wavelet, _, centre = pylops.utils.wavelets.ricker(time_axis, 20)
blur = pylops.signalprocessing.Convolve1D((samples, traces), wavelet, offset=centre, axis=0)
operator = pylops_mpi.MPIBlockDiag([blur])
truth = pylops_mpi.DistributedArray(global_shape=ranks * samples * traces)
truth[:] = np.random.default_rng(rank).standard_normal(samples * traces)
data = operator @ truth
solver = pylops_mpi.optimization.cls_basic.CGLS(operator)
model = solver.setup(data, pylops_mpi.DistributedArray(global_shape=ranks * samples * traces))
total = 0.0
for _ in range(steps):
    model = solver.step(model)
    total += float(model.asarray().sum())
if rank == 0:
    print(f"whole={time.perf_counter() - begin:.6f} sum={total!r}")
