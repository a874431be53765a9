# SPDX-License-Identifier: BSD-3-Clause
"""What can be typed after `agsweep`: a module a command, of the same name."""
