# SPDX-License-Identifier: BSD-3-Clause
"""Describes every report in a row, in the file of its heading in the help. Nothing here imports
pandas or matplotlib, so help and refusals come at once: a row names its code by later.Module."""
