# SPDX-License-Identifier: BSD-3-Clause
"""What commands share: options, tables as output, and running allgather_schedule."""
