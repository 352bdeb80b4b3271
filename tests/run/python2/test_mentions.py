"""A file is rewritten for Python 2 only if it mentions a name that the rewriters know: they change no other file."""
import ast
import glob
import os

import pytest

from legacy_towers.run.python2 import certain, names
from legacy_towers.run.python2.rewrite import Python2Rewriter

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: these tests create no graph."""


def sources():
    """Returns the scripts of the tests, whole and line by line where a line is a statement of its own."""
    found = []
    for path in sorted(glob.glob(os.path.join(TESTS, "scripts", "*.py")))[:12]:
        with open(path, encoding="utf-8") as file:
            source = file.read()
        found += [source] + [line.strip() for line in source.splitlines() if line.strip()]
    return found


def parsed(source):
    try:
        return ast.parse(source)
    except SyntaxError:  # a line of a longer statement, or Python 2
        return None


def shown(tree):
    """Returns `tree` as text, with one import in each statement, as the rewriter makes them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module):
            node.body = [part for each in node.body for part in _split(each)]
    return ast.dump(tree)


def _split(node):
    return [ast.Import(names=[alias]) for alias in node.names] if isinstance(node, ast.Import) else [node]


def test_files_without_old_names_stay_as_they_are():
    sure = [each for each in sources() if not names.mention_old_names(names.words_of(each.encode())) and parsed(each)]
    assert len(sure) > 300
    for source in sure:
        rewriter = Python2Rewriter(parsed(source), False, True, lambda *replaced: None)
        assert shown(rewriter.rewrite(parsed(source))) == shown(parsed(source)), source


def test_files_without_lists_stay_as_they_are():
    sure = [
        each for each in sources()
        if "/" not in each and not names.mention_lists(names.words_of(each.encode())) and parsed(each)
    ]
    assert len(sure) > 300
    for source in sure:
        assert ast.dump(certain.rewrite(parsed(source))) == ast.dump(parsed(source)), source


@pytest.mark.parametrize("source", [
    "xrange(3)", "import cPickle", "import os, Queue as q", "from urllib2 import urlopen", "d.has_key(1)", "it.next()",
    "import string\nstring.letters", "from itertools import izip", "from types import StringTypes",
    "from PIL import Image\nImage.ANTIALIAS",
])
def test_old_names_are_found(source):
    assert names.mention_old_names(names.words_of(source.encode()))
