# SPDX-License-Identifier: BSD-3-Clause
"""What a sweep file says, and the launches that follow from it."""
