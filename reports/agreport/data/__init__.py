# SPDX-License-Identifier: BSD-3-Clause
"""Result files as tables, and what their labels mean."""
