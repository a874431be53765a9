# SPDX-License-Identifier: BSD-3-Clause
"""Makes verdicts of paired times."""
