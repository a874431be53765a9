# SPDX-License-Identifier: BSD-3-Clause
"""Comment lines are the lines that begin with #, wherever else one stands."""

import re

import pytest

from agformats.files.comment_lines import comments, row_blocks, without_comments

COMMENT = re.compile(rb"^#.*", re.MULTILINE)


TEXTS = [
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
]


@pytest.mark.parametrize("text", TEXTS)
def test_are_those_of_a_regular_expression(text: bytes) -> None:
    assert comments(text) == COMMENT.findall(text)
    assert without_comments(text) == COMMENT.sub(b"", text)


@pytest.mark.parametrize("text", [*TEXTS, b"a,1\n#b\n\ncc,2\n\n\nddd,3\n#\n#x\ne"])
@pytest.mark.parametrize("size", range(1, 12))
def test_blocks_are_the_shortest_ones_of_whole_lines(text: bytes, size: int) -> None:
    blocks = list(row_blocks(text, size))
    assert b"".join(blocks) == without_comments(text)
    for block in blocks[:-1]:
        assert block.endswith(b"\n")
        assert len(block) >= size > block.rfind(b"\n", 0, -1) + 1
