# SPDX-License-Identifier: BSD-3-Clause
"""What the command lines of agreport and agsweep share."""
