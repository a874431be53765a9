# SPDX-License-Identifier: BSD-3-Clause
"""jobs/extras/, in whose absence nothing else fails."""
