# SPDX-License-Identifier: BSD-3-Clause
"""How far apart ranks arrive at collective calls, from traces of libagtrace.so."""
