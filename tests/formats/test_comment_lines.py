# SPDX-License-Identifier: BSD-3-Clause
"""Comment lines are the lines that begin with #, wherever else one stands."""

import re

import pytest

from agformats.files.comment_lines import comments, without_comments

COMMENT = re.compile(rb"^#.*", re.MULTILINE)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"#",
        b"\n",
        b"\n#",
        b"a#b",
        b"a#b\n#c#d\n",
        b"#a\n#b",
        b"#a\n\n#b\n",
        b"a\n##b\nc#\n#",
        b"a#\n\n#b\nc\n",
        b"x,#,y\n1,2,3\n#end",
    ],
)
def test_are_those_of_a_regular_expression(text: bytes) -> None:
    assert comments(text) == COMMENT.findall(text)
    assert without_comments(text) == COMMENT.sub(b"", text)
