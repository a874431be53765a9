# SPDX-License-Identifier: BSD-3-Clause
"""Reading a TOML file by what its tables may hold, with errors that name the place."""
