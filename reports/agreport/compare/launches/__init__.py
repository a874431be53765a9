# SPDX-License-Identifier: BSD-3-Clause
"""The launches of two sides: what they agree in, how they are paired and ordered."""
