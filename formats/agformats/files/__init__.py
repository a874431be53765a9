# SPDX-License-Identifier: BSD-3-Clause
"""Result files, data sets, and what is written."""
