# SPDX-License-Identifier: BSD-3-Clause
"""From paired times to verdicts."""
