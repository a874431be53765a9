# SPDX-License-Identifier: BSD-3-Clause
"""What a benchmark measures, and what goes on beside a call."""
