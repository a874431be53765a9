# SPDX-License-Identifier: BSD-3-Clause
"""`allgather_schedule`: what it prints, proves, predicts and refuses."""
