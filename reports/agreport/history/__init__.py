# SPDX-License-Identifier: BSD-3-Clause
"""`agreport history`: since when is what slower, and what changed with it."""
