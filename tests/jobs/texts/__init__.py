# SPDX-License-Identifier: BSD-3-Clause
"""What launchers say, and names and values that are no text."""
