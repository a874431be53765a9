# SPDX-License-Identifier: BSD-3-Clause
"""Buffers of calls: where they lie, how large they are, what is done to them before a call."""
