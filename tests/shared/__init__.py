# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of several folders use."""
