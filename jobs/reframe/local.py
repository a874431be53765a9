# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame's settings for this machine: its local scheduler, and the mpirun on the PATH."""

site_configuration = {
    "systems": [
        {
            "name": "here",
            "hostnames": [".*"],
            "partitions": [
                {
                    "name": "local",
                    "scheduler": "local",
                    "launcher": "mpirun",
                    "environs": ["builtin"],
                }
            ],
        }
    ],
}
