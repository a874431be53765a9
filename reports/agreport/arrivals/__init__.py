# SPDX-License-Identifier: BSD-3-Clause
"""Reports on arrival patterns: ranks that enter the call at different times."""
