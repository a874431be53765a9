# SPDX-License-Identifier: BSD-3-Clause
"""Shows how far apart ranks arrive at collective calls, from traces of libagtrace.so."""
