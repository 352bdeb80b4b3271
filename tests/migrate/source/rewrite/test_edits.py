import ast

import libcst as cst
import pytest

from legacy_towers.migrate.source.rewrite.edits import Edits
from legacy_towers.migrate.source.rewrite.syntax import Source, statements_of


def _edits(text):
    return Edits(Source("a.py", text.encode("utf-8")))


def _statement(edits, line, number=0):
    found = [each for function in edits.source.functions for each in statements_of(function.body)]
    found += statements_of(edits.source.module)
    return [each for each in found if edits.source.line(each) == line][number]


@pytest.mark.parametrize("before, line, number, after", [
    pytest.param("a = 1\nb = 2\n", 1, 0, "b = 2\n", id="first line"),
    pytest.param("# on a\na = 1\n# on b\nb = 2\n", 2, 0, "# on a\n# on b\nb = 2\n", id="comments stay"),
    pytest.param("a = 1; b = 2; c = 3  # all\n", 1, 1, "a = 1; c = 3  # all\n", id="between semicolons"),
    pytest.param("a = 1; b = 2\n", 1, 1, "a = 1\n", id="after the last semicolon"),
    pytest.param("def f():\n  a = 1\n", 2, 0, "def f():\n  pass\n", id="a block left empty"),
    pytest.param("def f(): a = 1; b = 2\n", 1, 0, "def f():\n    b = 2\n", id="on the line of its block"),
    pytest.param("a = 1\n\nb = 2\n\nc = 3\n", 3, 0, "a = 1\n\nc = 3\n", id="one gap is left of two"),
    pytest.param("def f():\n    a = 1\n    # why\n    b = 2\n", 4, 0, "def f():\n    a = 1\n    # why\n",
                 id="comments at the end of a block"),
])
def test_remove_leaves_the_rest_as_it_was(before, line, number, after):
    edits = _edits(before)
    edits.remove(_statement(edits, line, number))
    assert edits.text() == after


@pytest.mark.parametrize("before, line, after", [
    pytest.param("def f():\n    # why\n    a = 1\n", 3, "def f():\n    # why\n    new = 0\n    a = 1\n", id="function"),
    pytest.param("def f(): return 1\n", 1, "def f():\n    new = 0\n    return 1\n", id="on the line of its block"),
    pytest.param("x = 0; a = 1\n", 1, "new = 0\nx = 0; a = 1\n", id="before the first of a line"),
    pytest.param("with f():\n\tb = 2\n", 1, "new = 0\nwith f():\n\tb = 2\n", id="before a compound statement"),
])
def test_insert_before_keeps_comments_above_what_is_inserted(before, line, after):
    edits = _edits(before)
    statement = [each for each in statements_of(edits.source.functions[0].body if edits.source.functions
                                                else edits.source.module) if edits.source.line(each) == line][0]
    edits.insert_before(statement, lambda: edits.source.parse("new = 0\n"))
    assert edits.text() == after


def test_unwrap_puts_the_body_in_place_of_the_statement():
    edits = _edits("a = 1\n# why\nwith f():\n    b = 2\n    c = 3\nd = 4\n")
    edits.unwrap(_statement(edits, 3))
    assert edits.text() == "a = 1\n# why\nb = 2\nc = 3\nd = 4\n"


def test_replace_does_inner_edits_first():
    edits = _edits("a = f(g(1))\n")
    inner = edits.source.call_of(_call("a = f(g(1))\n", "g"))
    outer = edits.source.call_of(_call("a = f(g(1))\n", "f"))
    edits.replace(inner, cst.Name("x"))
    edits.replace(outer, lambda call: call.with_changes(func=cst.Name("h")))
    assert edits.text() == "a = h(x)\n"


def test_moved_statement_has_its_comments_and_the_edits_inside():
    edits = _edits("b = 1\n# why\na = f(1)  # that\n")
    edits.remove(_statement(edits, 3))
    edits.replace(edits.source.call_of(_call("\n\na = f(1)\n", "f")), cst.Name("x"))
    assert edits.source.code(edits.moved(_statement(edits, 3))) == "# why\na = x  # that\n"


def _call(text, name):
    return [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Call) and each.func.id == name][0]


def test_call_of_tells_calls_apart_that_begin_at_one_place():
    text = "é = 'é'; k, v = tf.TFRecordReader().read(queue)\n"
    source = Source("a.py", text.encode("utf-8"))
    calls = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Call)]
    assert sorted(source.code(source.call_of(each)) for each in calls) == [
        "tf.TFRecordReader()", "tf.TFRecordReader().read(queue)"
    ]
