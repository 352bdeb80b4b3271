"""Blocks and comments around statements that go."""
import textwrap

import pytest

from legacy_towers.migrate.source.rewrite.controls.blocks import Changes
from legacy_towers.migrate.source.rewrite.edits import Edits
from legacy_towers.migrate.source.rewrite.syntax import Source

CASES = [
    pytest.param("if a.b:\n    go()\nc()\n", "c()\n", id="if"),
    pytest.param("if a():\n    go()\nc()\n", "if a():\n    pass\nc()\n", id="if with a call"),
    pytest.param("if a:\n    b()\nelif c:\n    go()\n", "if a:\n    b()\n", id="elif"),
    pytest.param("if a:\n    b()\nelse:\n    go()\n", "if a:\n    b()\n", id="else"),
    pytest.param("if a:\n    go()\nelse:\n    b()\n", "if a:\n    pass\nelse:\n    b()\n", id="if before else"),
    pytest.param("for x in y:\n    go()\nc()\n", "c()\n", id="for"),
    pytest.param("with tf.name_scope('a'):\n    go()\nc()\n", "c()\n", id="with"),
    pytest.param("with open('a'):\n    go()\n", "with open('a'):\n    pass\n", id="with that does something"),
    pytest.param("try:\n    a()\nfinally:\n    go()\n", "a()\n", id="try finally"),
    pytest.param("try: a(); b()\nfinally: go()\n", "a(); b()\n", id="try finally on one line"),
    pytest.param("try:\n    a()\n    # end\nfinally:\n    go()\nc()\n", "a()\n# end\nc()\n", id="comment at the end"),
    pytest.param("try:  # safe\n    a()\nfinally:\n    go()\n", "# safe\na()\n", id="comment at the head"),
    pytest.param("try:\n    go()\nexcept E:\n    b()\nc()\n", "c()\n", id="try of nothing"),
    pytest.param("try:\n    a()\nexcept E:\n    go()\n", "try:\n    a()\nexcept E:\n    pass\n", id="handler"),
    pytest.param("def f():\n    go()\n", "def f():\n    pass\n", id="function"),
    pytest.param("if a:\n    if b:\n        for x in y:\n            go()\nc()\n", "c()\n", id="nested"),
    pytest.param("with a():\n    go()\n\n    b()\n", "with a():\n    b()\n", id="first of its block"),
    pytest.param("a()\n# Starts the threads.\ngo()\nc()\n", "a()\nc()\n", id="comment about threads"),
    pytest.param("a()\n\n# Trains.\ngo()\nc()\n", "a()\n\n# Trains.\nc()\n", id="another comment"),
    pytest.param("# A file of queues.\n\ngo()\nc()\n", "# A file of queues.\n\nc()\n", id="head of the file"),
]


@pytest.mark.parametrize("before, after", CASES)
def test_blocks_and_comments_around_a_statement_that_goes(before, after):
    edits = Edits(Source("a.py", textwrap.dedent(before).encode("utf-8")))
    changes = Changes(edits)
    for call, name in ((each, edits.source.code(each.func)) for each in edits.source.parents if hasattr(each, "args")):
        if name == "go":
            changes.remove(edits.source.statement(call))
    changes.give()
    assert edits.text() == after
