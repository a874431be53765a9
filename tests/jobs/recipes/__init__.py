# SPDX-License-Identifier: BSD-3-Clause
"""jobs/packaging/; a folder tests/packaging would hide PyPI's package of that name."""
