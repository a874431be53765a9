# SPDX-License-Identifier: BSD-3-Clause
"""What the programs share: how values are spelled and read."""
