# SPDX-License-Identifier: BSD-3-Clause
"""The command line and the files it names: what is taken, told and refused."""
