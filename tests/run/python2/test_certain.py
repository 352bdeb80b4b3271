"""What fails in Python 3 in every case means what it means in Python 2, in files that both can read."""
import ast
import warnings

import pytest

from legacy_towers.run.python2 import certain


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: these tests create no graph."""


def run(source):
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of each replacement
        exec(compile(certain.rewrite(ast.parse(source)), "script.py", "exec"), names)
    return names["found"]


REWRITTEN = {
    "len of map": ("found = len(map(str, [1, 2]))", 2),
    "len of zip and filter": ("found = len(zip('ab', 'cd')) + len(filter(None, [0, 3]))", 3),
    "an item of keys": ("found = {'a': 1}.keys()[0]", "a"),
    "a slice of items": ("found = {'a': 1}.items()[:1]", [("a", 1)]),
    "an item of zip": ("found = zip(*[(1, 2), (3, 4)])[0]", (1, 3)),
    "methods of lists": ("found = map(str, [1, 2]).index('2'), zip('a', 'b').count(1)", (1, 0)),
    "a sum of lists": ("found = range(2) + [7] + map(int, '3')", [0, 1, 7, 3]),
    "a variable with its length": ("pairs = zip('ab', 'cd')\nfound = len(pairs), len(pairs), list(pairs)[1]",
                                   (2, 2, ("b", "d"))),
    "a variable that is sorted": ("def f(d):\n    names = d.keys()\n    names.sort()\n    return names\n"
                                  "found = f({'b': 1, 'a': 2})", ["a", "b"]),
    "a variable that is used in a function": ("rows = map(int, '12')\ndef f():\n    return rows[1]\nfound = f(), f()",
                                              (2, 2)),
    "a range that is shuffled": (
        "import random\norder = range(3)\nrandom.shuffle(order)\nfound = sorted(order)", [0, 1, 2]
    ),
    "a range that is written": ("order = range(3)\norder[0] = 7\nfound = order", [7, 1, 2]),
    "a quotient as an index": ("x = [0, 1, 2, 3]\nn = 3\nfound = x[n / 2]", 1),
    "a quotient as the end of a slice": ("x = [0, 1, 2, 3]\nn = 5\nfound = x[:n / 2] + x[n / 2:]", [0, 1, 2, 3]),
    "a quotient as the length of a range": ("n = 7\nfound = list(range(n / 2))", [0, 1, 2]),
    "an item that is assigned": ("x = [0, 1]\nn = 3\nx[n / 2] = 5\nfound = x", [0, 5]),
}
UNCHANGED = {
    "what both Pythons run": "for a, b in zip(x, y):\n    print(a, len(d.keys()), range(3)[1], len(range(4)))",
    "names of the file": "def map(x):\n    return [x]\nfound = len(map(1))",
    "a variable that is an iterator": "pairs = zip(x, y)\nfirst = next(pairs)\nprint(len(pairs))",
    "a variable with other values": "names = d.keys()\nnames = sorted(names)\nprint(names[0])",
    "an argument": "def f(names):\n    names = d.keys()\n    return names[0]",
    "true division": "from __future__ import division\nfound = x[n / 2], x[: n / 2], range(n / 2)",
    "labels of pandas": "found = frame.loc[: n / 2]",
    "a length of a view": "names = d.keys()\nfound = len(names)",
}


@pytest.mark.parametrize("source, expected", list(REWRITTEN.values()), ids=list(REWRITTEN))
def test_code_that_only_python_2_can_run(source, expected):
    assert run(source) == expected


@pytest.mark.parametrize("source", list(UNCHANGED.values()), ids=list(UNCHANGED))
def test_other_code_is_unchanged(source):
    assert ast.dump(certain.rewrite(ast.parse(source))) == ast.dump(ast.parse(source))


def test_keys_of_a_dictionary_may_be_quotients_and_floats_are_divided():
    assert run("d = {1.5: 'a'}\nn = 3\nfound = d[n / 2]") == "a"
    with pytest.raises(TypeError, match="float"):
        run("x = [1]\nn = 1.0\nfound = x[n / 2]")


def test_values_of_other_types_are_returned_as_they_are():
    source = "class D(object):\n    def keys(self):\n        return ('a', 'b')\nfound = D().keys()[0:]"
    assert run(source) == ("a", "b")


def test_each_replacement_is_reported():
    with pytest.warns(UserWarning, match=r"zip\(\): interpreted as a list, as in Python 2"):
        exec(compile(certain.rewrite(ast.parse("len(zip('a', 'b'))")), "script.py", "exec"), {})
