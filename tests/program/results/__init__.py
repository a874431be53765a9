# SPDX-License-Identifier: BSD-3-Clause
"""What is printed and written, and what of it is left when a launch ends too early."""
