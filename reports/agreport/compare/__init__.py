# SPDX-License-Identifier: BSD-3-Clause
"""`agreport compare`: from the launches of two sides to verdicts."""
