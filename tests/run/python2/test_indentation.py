"""Lines of Python 2 files whose nesting depends on the width of a tab."""
import json

import pytest
from run import here

from legacy_towers.run.check import command
from legacy_towers.run.python2 import indentation, syntax


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: no test here needs a graph."""


AVERAGE = """\
def average(towers):
    averaged = []
    for pairs in zip(*towers):
        averaged.append(sum(pairs))
\treturn averaged
print average([[1, 2], [3, 4]])
"""

# Source -> (first, last, width, block, other block) of its ambiguous lines.
AMBIGUOUS = {
    "return in the loop": (AVERAGE, [(5, 5, 4, 3, 1)]),
    "two lines leave a loop": (
        "if True:\n    for i in range(3):\n        print i\n\tx = i\n\ty = i\n", [(4, 5, 4, 2, 1)]
    ),
    "a whole block leaves a loop": (
        "if True:\n    for i in range(3):\n        print i\n\tif i:\n\t    print 'last'\n\tprint 'end'\n",
        [(4, 6, 4, 2, 1)],
    ),
    "two places": (
        "if 1:\n    if 0:\n        a = 1\n\tb = 2\nif 2:\n    if 0:\n        c = 1\n\td = 2\nprint 'x'\n",
        [(4, 4, 4, 2, 1), (8, 8, 4, 6, 5)],
    ),
    "tabs of 2 only": ("if 1:\n  if 0:\n        a = 1\n\tb = 2\nprint 'x'\n", [(4, 4, 2, 2, 1)]),
    "else of a loop": (
        "def f():\n    for i in range(3):\n        if i:\n            print i\n\telse:\n            print 'none'\n",
        [(5, 5, 4, 2, 1)],
    ),
    "with print_function": (
        "from __future__ import print_function\nimport sys\nif 1:\n    if 0:\n        print('a', file=sys.stderr)\n"
        "\tb = 0777\n",
        [(6, 6, 4, 4, 3)],
    ),
    "after a comment, a blank line and a string with tabs": (
        "if 1:\n    if 0:\n        a = '''\n\tb'''\n\n\t# comment\n\tc = 2\nprint 'x'\n", [(7, 7, 4, 2, 1)],
    ),
}
UNAMBIGUOUS = {
    "no tabs": "if 1:\n    print 1\n",
    "tabs only": "if 1:\n\tif 2:\n\t\tprint 1\n\tprint 2\n",
    "one function with tabs, one with blanks": "def f():\n\tif 1:\n\t\tprint 1\ndef g():\n    if 1:\n        print 1\n",
    "valid with tabs of 8 only": "if 1:\n    if 2:\n\tprint 1\n\tprint 2\n    print 3\n",
    "a tab for each 8 blanks": "def f():\n    for i in range(3):\n\tif i:\n\t    print i\n    return 1\n",
    "continuation lines": "x = [1,\n\t2,\n    3]\nif 1:\n    y = (4 +\n\t5)\n    print y\n",
    "a string": "if 1:\n    x = '''\n\ta\n'''\n    print x\n",
    "comments": "if 1:\n    if 2:\n        print 1\n\t# comment\n    print 2\n",
}


def rows(source):
    found = syntax.ambiguous_lines(source.encode("utf-8"))
    return [(each.first, each.last, each.width, each.block, each.other_block) for each in found]


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_lines_whose_block_depends_on_the_width_of_a_tab_are_found(name):
    source, expected = AMBIGUOUS[name]
    assert rows(source) == expected
    # Python itself nests the lines as the rows claim.
    for _, last, width, block, other_block in expected:
        assert enclosing(source, 8, last) == block
        assert enclosing(source, width, last) == other_block


@pytest.mark.parametrize("name", UNAMBIGUOUS)
def test_files_with_one_valid_nesting_have_no_ambiguous_lines(name):
    assert syntax.translate(UNAMBIGUOUS[name].encode("utf-8"), "x.py") is not None
    assert rows(UNAMBIGUOUS[name]) == []


def enclosing(source, width, line):
    """Returns the line of the nearest preceding line with less indentation, 0 if there is none."""
    lines = [each.expandtabs(width) for each in source.split("\n")]
    indents = [len(each) - len(each.lstrip()) for each in lines]
    own = indents[line - 1]
    for number in range(line - 1, 0, -1):
        text = lines[number - 1].strip()
        if text and not text.startswith("#") and indents[number - 1] < own:
            return number
    return 0


def test_run_prints_what_each_width_means_once(tmp_path, capsys):
    assert here.run(tmp_path, AVERAGE + "result = average([[1, 2], [3, 4]])\n")["result"] == [4]
    errors = [each for each in capsys.readouterr().err.splitlines() if "tabs of" in each]
    assert errors == [
        "legacy-towers: script.py:5: with tabs of 8 columns, as in Python 2, line 5 is in the block of line 3 "
        "(`for pairs in zip(*towers):`); with tabs of 4 columns in the block of line 1 (`def average(towers):`)",
        "legacy-towers: script.py: it is read with tabs of 8 columns; if its author's editor had tabs of 4, replace "
        "them, by `expand -i -t 4` for example",
    ]


def test_run_prints_it_for_the_script_s_modules_too(tmp_path, capsys):
    here.run(tmp_path, "import helper\nprint 'x'\n", helper=AVERAGE)
    assert "legacy-towers: helper.py:5: with tabs of 8 columns" in capsys.readouterr().err


def test_check_prints_the_lines(tmp_path, capsys, monkeypatch):
    here.write(tmp_path, {"train.py": AVERAGE})
    monkeypatch.chdir(tmp_path)
    assert command.run("train.py", as_json=False) == 0
    assert "\ntrain.py:5: with tabs of 8 columns, as in Python 2, line 5 is" in "\n" + capsys.readouterr().out
    assert command.run("train.py", as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["ambiguous_lines"] == [
        {"path": "train.py", "first": 5, "last": 5, "width": 4, "block": 3, "other_block": 1}
    ]


def test_messages_are_limited_per_file():
    place = "if {0}:\n    if 0:\n        a = 1\n\tb = 2\n"
    found = syntax.ambiguous_lines(("".join(place.format(number) for number in range(7)) + "print 1\n").encode())
    texts = indentation.messages("x.py", found)
    assert len(found) == 7 and len(texts) == 7
    assert texts[5] == "x.py: 2 more places depend on the width of a tab"
