"""Files of Python 2 do what Python 2.7 did: the expected values were taken from its documentation, or from it."""
import ast
import pickle

import numpy as np
import pytest
from oldtf.launch import here

from legacy_towers.oldtf.launch.python2 import syntax


@pytest.fixture(autouse=True)
def fresh_graph():
    """In place of the one in conftest.py: one test needs TensorFlow, and has a graph of its own."""


# A line that only Python 2 can read makes the whole file Python 2.
MARK = "\nprint >>open('/dev/null', 'w'), 'Python 2'\n"

# Expression -> its value in Python 2.7.
VALUES = {
    "7 / 2": 3,
    "-7 / 2": -4,
    "7 / 2.0": 3.5,
    "7. / 2": 3.5,
    "True / 2": 0,
    "np.array([7, 8]) / 2": [3, 4],
    "np.array([7., 8.]) / 2": [3.5, 4.0],
    "np.int64(7) / 2": 3,
    "7 / np.float32(2)": 3.5,
    "Half(3) / 2": "half",
    "2 / Half(3)": "half of 2",
    "range(3)": [0, 1, 2],
    "range(2) + range(1)": [0, 1, 0],
    "list(xrange(2, 0, -1))": [2, 1],
    "map(len, ['a', 'bc'])": [1, 2],
    "map(None, [1, 2], [3])": [(1, 3), (2, None)],
    "filter(None, [0, 1, 2])": [1, 2],
    "filter(lambda c: c > 'a', 'abc')": "bc",
    "zip([1, 2], 'ab')[1]": (2, "b"),
    "{'a': 1}.keys()[0]": "a",
    "{'a': 1}.values()": [1],
    "{'a': 1}.items()[0]": ("a", 1),
    "sorted({'b': 2, 'a': 1}.iteritems())": [("a", 1), ("b", 2)],
    "list({'a': 1}.itervalues())": [1],
    "{'a': 1}.has_key('a')": True,
    "iter([4, 5]).next()": 4,
    "(n for n in [6]).next()": 6,
    "Counter(2).next()": 1,
    "list(Counter(2))": [1, 0],
    "bool(Counter(0))": False,
    "reduce(lambda a, b: a + b, [1, 2, 3])": 6,
    "sorted([1, 3, 2], cmp=lambda a, b: cmp(b, a))": [3, 2, 1],
    "sorted([1, 3, 2], lambda a, b: b - a)": [3, 2, 1],
    "round(2.5)": 3.0,
    "round(-2.5)": -3.0,
    "round(2.675, 2)": 2.67,
    "round(7)": 7.0,
    "unicode('a') + u'b'": "ab",
    "unicode(b'\\xc3\\xa9', 'utf-8')": u"\u00e9",
    "isinstance('a', basestring), isinstance(u'a', unicode), isinstance(3, basestring)": (True, True, False),
    "unichr(233)": u"\u00e9",
    "ord('a')": 97,
    "long(3)": 3,
    "0777": 511,
    "10L + 0xFFL": 265,
    "`7`": "7",
    "1 <> 2": True,
    "string.letters[:2] + string.join(['a', 'b'], '-')": "aba-b",
    "sys.maxint >= 2 ** 31 - 1": True,
    "os.getcwdu() == os.getcwd()": True,
    "list(izip([1], [2]))": [(1, 2)],
    "list(itertools.izip_longest([1, 2], [3]))": [(1, 3), (2, None)],
    "named.func_name": "named",
    "Half(3).__div__.im_self.value": 3,
    "'abc'.decode('utf-8')": "abc",
    "u'\\xe9'.encode('utf-8')": u"\u00e9".encode("utf-8"),
    "'ab'.encode('hex')": "6162",
    "apply(max, [1, 2])": 2,
    "urllib.quote('a b') + urlparse.urlparse('http://x/y').path": "a%20b/y",
    "urllib2.Request('http://x/').get_method()": "GET",
    "type(Queue.Queue()).__name__": "Queue",
    "types.StringType, isinstance({}, types.DictType)": (str, True),
    "divmod(7, 2)": (3, 1),
    "[x for x in 1, 2]": [1, 2],
    "'C:\\users'": "C:\\users",
    "ur'\\d'": "\\d",
    "(lambda (a, b): a + b)((1, 2))": 3,
    "(lambda (a, (b, c)), d, e=5: a + b + c + d + e)((1, (2, 3)), 4)": 15,
    "0.3 > None, None < -1, 3 < 'a', [] > 7, None >= None": (True, True, True, True, True),
    "1 < 2 < 3, 2 > 3": (True, False),
    "sorted(random.sample(np.arange(3), 3)) + draw(set([7]), 1)": [0, 1, 2, 7],
    "subprocess.check_output(['echo', 'a']).split('\\n')[0]": "a",
    "len(StringIO('ab\\ncd').readlines())": 2,
    "Meta.__class__.__name__": "Kind",
}
PREAMBLE = """
import sys, os, string, itertools, types, urllib, urllib2, urlparse, Queue, random, subprocess
from random import sample as draw
import numpy as np
from itertools import izip
from cStringIO import StringIO


class Half:
    def __init__(self, value):
        self.value = value

    def __div__(self, other):
        return "half"

    def __rdiv__(self, other):
        return "half of %s" % other


class Counter(object):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __nonzero__(self):
        return self.n > 0

    def next(self):
        if not self.n:
            raise StopIteration
        self.n -= 1
        return self.n


class Kind(type):
    pass


class Meta(object):
    __metaclass__ = Kind
    name = "Meta"


def named():
    pass
""" + MARK


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    """Expression -> its value, all from one file: a translation takes a tenth of a second."""
    source = PREAMBLE + "values = {}\n" + "".join(
        "values[{}] = {}\n".format(number, expression) for number, expression in enumerate(VALUES)
    )
    return here.run(tmp_path_factory.mktemp("values"), source)["values"]


@pytest.mark.parametrize("expression", list(VALUES))
def test_an_expression_has_its_value_of_python_2(values, expression):
    found, expected = values[list(VALUES).index(expression)], VALUES[expression]
    found = found.tolist() if isinstance(found, np.ndarray) else found
    assert found == expected
    assert type(found) is type(expected) or isinstance(found, np.generic)


# Statements -> what they print.
PRINTED = {
    "print": ("print 'a', 1,\nprint\nprint ('b')\nprint ('c', 2)\nprint 'd %d' % 3", "a 1 \nb\n('c', 2)\nd 3\n"),
    "except on one line": (
        "class Kept: pass\nkept = Kept()\ntry: open('/no/file')\nexcept IOError, (no, words): print no, words\n"
        "try: int('x')\nexcept KeyError, (a, b): pass\nexcept ValueError, kept.error: pass\nelse: print 'no'\n"
        "try: {}[1, 2]\nexcept (KeyError, IOError), [both]: key = both; print key, kept.error.__class__.__name__",
        "2 No such file or directory\n(1, 2) ValueError\n",
    ),
    "except": (
        "try:\n    raise ValueError, 'bad'\nexcept (KeyError, ValueError), e:\n    print e, e.message", "bad bad\n"
    ),
    "raise three": (
        "import sys\ntry:\n    try:\n        1 / 0\n    except Exception, e:\n"
        "        kind, value, tb = sys.exc_info()\n"
        "        raise kind, value, tb\nexcept ZeroDivisionError, again:\n    print again is value",
        "True\n",
    ),
    "raise new with traceback": (
        "import sys\ntry:\n    try:\n        1 / 0\n    except Exception, e:\n"
        "        raise ValueError, 'new', sys.exc_info()[2]\nexcept ValueError, again:\n    print again",
        "new\n",
    ),
    "exec": ("names = {}\nexec 'x = 3' in names\nprint names['x']", "3\n"),
    "augmented": (
        "import numpy as np\nclass A: n = 7\na = 7\na /= 2\nd = {'k': 7}\nd['k'] /= 2\nl = [5, 9]\nl[0] /= 2\n"
        "A.n /= 2\nb = np.array([7, 8])\nc = b\nb /= 2\nf = np.ones([2, 2])\nf[:, 0] /= 2\nx = 7.\nx /= 2\n"
        "print a, d['k'], l, A.n, list(c) == [3, 4], f.tolist(), x",
        "3 3 [2, 9] 3 True [[0.5, 1.0], [0.5, 1.0]] 3.5\n",
    ),
    "sort": ("l = [1, 3, 2]\nl.sort(lambda a, b: b - a)\nprint l\nl.sort()\nprint l", "[3, 2, 1]\n[1, 2, 3]\n"),
    "tuple parameters": ("def f(a, (b, c)):\n    return a + b + c\nprint f(1, (2, 3))", "6\n"),
    "reload": ("import sys\nreload(sys)\nsys.setdefaultencoding('utf-8')\nprint 'set'", "set\n"),
    "names of its own": (
        "def f(map, filter=2):\n    return map / filter\nrange = 3\nprint f(7), range / 2\n"
        "def cmp(a, b): return 'own'\nprint cmp(1, 2)",
        "3 1\nown\n",
    ),
    "tabs and blanks": ("if True:\n\tif True:\n\t    x = '''a\n\tb'''\n        print repr(x)", "'a\\n\\tb'\n"),
    "future division": ("print 7 / 2, 7 // 2", "3.5 3\n"),
    "future print": ("try:\n    pass\nexcept ValueError, e:\n    pass\nprint('a', 'b', sep='-')", "a-b\n"),
    "version asked": (
        "import sys\nif sys.version_info[0] < 3:\n    text = unicode\nelse:\n    text = str\nprint text is str",
        "True\n",
    ),
    "a name that may be gone": (
        "try:\n    unicode\nexcept NameError:\n    unicode = str\nprint unicode is str", "True\n"
    ),
    "a module that may be gone": (
        "try:\n    import cPickle as p\nexcept ImportError:\n    import pickle as p\nprint p.loads(p.dumps(3))", "3\n"
    ),
}


@pytest.mark.parametrize("source, printed", list(PRINTED.values()), ids=list(PRINTED))
def test_statements_print_what_python_2_did(tmp_path, capsys, source, printed):
    future = {PRINTED["future division"][0]: "division", PRINTED["future print"][0]: "print_function"}.get(source)
    first = "from __future__ import {}\n".format(future) if future else ""
    here.run(tmp_path, first + ("" if future == "print_function" else MARK) + source + "\n")
    assert capsys.readouterr().out == printed


def test_files_take_and_give_strings_of_both_kinds(tmp_path):
    names = here.run(tmp_path, MARK + r"""
import cPickle, csv, json, pickle
import numpy as np
binary = open('binary', 'wb')
binary.write('text ')
binary.write(u'\xe9'.encode('utf-8'))
binary.close()
text = open('text', 'w')
text.write('a,b\r\n')
text.write(u'\xe9,d\n'.encode('utf-8'))
print >>text, 'e',
text.close()
rows = list(csv.reader(open('text', 'rb')))
lines = open('text').readlines()
raw = open('text', 'rU').read()
cPickle.dump({'x': np.arange(3)}, open('text.pkl', 'w'))
kept = pickle.load(open('text.pkl'))
with open('latin', 'wb') as out:
    out.write(b'\xff\xfe')
same = open('latin').read()
open('copy', 'w').write(same)
mode = file('binary').read(4)
""")
    assert (tmp_path / "binary").read_bytes() == u"text \u00e9".encode("utf-8")
    assert names["rows"] == [["a", "b"], [u"\u00e9", "d"], ["e "]]
    assert names["lines"][0] == "a,b\r\n" and names["raw"].startswith("a,b\n")
    assert names["kept"]["x"].tolist() == [0, 1, 2]
    assert (tmp_path / "copy").read_bytes() == b"\xff\xfe"
    assert names["mode"] == "text"


def test_pickles_of_python_2_are_read(tmp_path):
    # cPickle.dumps({"data": "\xff\x80"}, 0) of Python 2.7.
    (tmp_path / "batch").write_bytes(b"(dp1\nS'data'\np2\nS'\\xff\\x80'\np3\ns.")
    names = here.run(tmp_path, "import cPickle\nwith open('batch', 'rb') as f:\n    batch = cPickle.load(f)\n")
    assert names["batch"] == {"data": u"\xff\x80"}
    assert pickle.loads(b"I3\n.") == 3


def test_a_file_in_memory_is_of_the_kind_that_comes_first(tmp_path):
    names = here.run(
        tmp_path,
        "from StringIO import StringIO\na, b, c = StringIO(), StringIO(), StringIO(b'x')\n"
        "a.write('text')\nb.write(b'bytes')\nkinds = a.getvalue(), b.getvalue(), c.read(), StringIO().read()\n",
    )
    assert names["kinds"] == ("text", b"bytes", b"x", "")


def said(capsys):
    return [line for line in capsys.readouterr().err.splitlines() if line]


def test_a_file_that_python_3_reads_is_served_name_by_name(tmp_path, capsys):
    names = here.run(
        tmp_path,
        "import cPickle, itertools\n\nhalves = [x / 2 for x in xrange(3)]\nagain = xrange(2)\n"
        "pairs = {'a': 1}.iteritems()\nkind = unicode\nmapped = map(str, [1])\nzipped = itertools.izip\n"
        "def f(unicode):\n    return unicode\nown = f(7)\n",
    )
    assert names["halves"] == [0.0, 0.5, 1.0] and list(names["pairs"]) == [("a", 1)] and names["own"] == 7
    assert names["zipped"] is zip and type(names["mapped"]) is map and isinstance("", names["kind"])
    assert said(capsys) == [
        "legacy-towers: script.py:1: cPickle: taken for Python 2's",
        "legacy-towers: script.py:3: xrange: taken for Python 2's",
        "legacy-towers: script.py:6: unicode: taken for Python 2's",
        "legacy-towers: script.py:5: .iteritems: taken for .items()",
        "legacy-towers: script.py:8: itertools.izip: taken for zip",
    ]


GUARDED = {
    "names": "try:\n    xrange\nexcept NameError:\n    xrange = range\n",
    "input": "try:\n    input = raw_input\nexcept NameError:\n    pass\n",
    "module": "try:\n    import cPickle as p\nexcept ImportError:\n    import pickle as p\n"
    "assert p.dumps.__module__ == '_pickle'\n",
    "else": "try:\n    unicode\nexcept NameError:\n    is_3 = True\nelse:\n    is_3 = False\nassert is_3\n",
    "version": "import sys\nif sys.version_info[0] == 2:\n    range = xrange\n",
    "six": "import six\nfrom six.moves import xrange\nassert list(xrange(2)) == [0, 1]\n",
    "star": "from beside import xrange\nassert xrange == 3\n",
    "own class": "class D(dict):\n    def has_key(self, key):\n        return 'own'\nassert D().has_key(1) == 'own'\n",
    "own module": "import Queue\nassert Queue.mine\n",
    "prints of python 3": "import sys\nprint('a', end='')\nif 0: print >>sys.stderr, 'b'\nassert 7 / 2 == 3.5\n",
    "two calls": "import sys\nprint('a'), sys.stdout.flush()\nprint('b'),\nassert 7 / 2 == 3.5\n",
    "python 3": "print('a', end='')\nassert 7 / 2 == 3.5 and sorted([2, 1], key=abs) == [1, 2]\n",
}


@pytest.mark.parametrize("source", list(GUARDED.values()), ids=list(GUARDED))
def test_what_knows_python_3_is_left_alone(tmp_path, capsys, source):
    here.run(tmp_path, source, beside="xrange = 3\n", Queue="mine = True\n")
    assert said(capsys) == []


def test_a_training_loop_that_catches_everything_is_served(tmp_path):
    source = "n = 0\ntry:\n    for i in xrange(3):\n        n += i\nexcept Exception as error:\n    n = error\n"
    assert here.run(tmp_path, source)["n"] == 3


def test_a_script_of_python_2_makes_its_modules_python_2(tmp_path, capsys):
    names = here.run(
        tmp_path, "import helper, os\nprint 'x'\nhalf = helper.half(7)\n", helper="def half(x):\n    return x / 2\n"
    )
    assert names["half"] == 3
    (line,) = said(capsys)
    assert line.startswith(
        "legacy-towers: script.py:2: taken for Python 2 with all that it imports from its own files: "
    )


def test_a_module_of_python_2_is_so_alone(tmp_path, capsys):
    names = here.run(
        tmp_path, "import helper\nhalf = 7 / 2\n", helper="def f():\n    print 'x'\nhalf = 7 / 2\n"
    )
    assert (names["half"], names["helper"].half) == (3.5, 3)
    (line,) = said(capsys)
    assert line.startswith("legacy-towers: helper.py:2: taken for Python 2: ")


def test_all_is_python_2_where_it_is_asked_for(tmp_path):
    names = here.run(tmp_path, "import helper\nhalf = 7 / 2\n", is_python_2=True, helper="half = 9 / 2\n")
    assert (names["half"], names["helper"].half) == (3, 4)


def test_a_module_of_the_same_package_comes_first_in_python_2(tmp_path):
    names = here.run(
        tmp_path,
        "print 'x'\nimport package.user\nuser = package.user\n",
        **{
            "package/__init__": "",
            "package/user": "import beside, queue_helpers as q, json\nfrom beside import NAME\n"
            "import below.inner\nimport below.inner as inner\n",
            "package/beside": "NAME = __name__\n",
            "package/queue_helpers": "NAME = __name__\n",
            "package/below/__init__": "",
            "package/below/inner": "NAME = __name__\n",
            "beside": "NAME = 'the wrong one'\n",
        }
    )
    user = names["user"]
    assert user.NAME == user.beside.NAME == "package.beside" and user.q.NAME == "package.queue_helpers"
    assert user.below.inner is user.inner and user.inner.NAME == "package.below.inner"


def test_lines_stay_where_rules_add_some(tmp_path):
    source = b"""# one
def f(a, (b, c)):
    return a

try:
    raise ValueError, ('a', 'b')
except ValueError, (x, y):
    pass
print 'nine'
1 / 0
"""
    tree = syntax.translate(source, "x.py").tree
    lines = {type(node).__name__ + str(getattr(node, "name", "")): node.lineno for node in tree.body}
    assert lines == {"FunctionDeff": 2, "Try": 5, "Expr": 10}
    assert tree.body[2].lineno == 9
    compile(tree, "x.py", "exec")
    with pytest.raises(ZeroDivisionError) as caught:
        here.run(tmp_path, source.decode())
    places = [entry.lineno for entry in caught.traceback if str(entry.path).endswith("script.py")]
    assert [line + 1 for line in places] == [10]


@pytest.mark.parametrize(
    "source",
    [b"x = (\n", b"def f(:\n    pass\n", b"\xff\xfe\x00", b"print 'a\n", b"  x = 1\n y = 2\n"],
    ids=["open bracket", "colon", "no text", "open string", "indentation"],
)
def test_what_is_no_python_at_all_keeps_its_error(tmp_path, source):
    assert syntax.translate(source, "x.py") is None
    with pytest.raises((SyntaxError, ValueError)) as expected:
        ast.parse(source, "x.py")
    here.write(tmp_path, {"broken.py": source})
    with pytest.raises(type(expected.value)):
        here.run(tmp_path, "import broken\n")


@pytest.mark.parametrize(
    "line", ["print >>sys.stderr, 'x'", "print ('a'), 7", "print ('%d') % 7", "print >>sys.stderr"]
)
def test_a_print_statement_that_python_3_can_read_is_python_2(tmp_path, line):
    assert here.run(tmp_path, "import sys\n{}\nhalf = 7 / 2\n".format(line))["half"] == 3


def test_encodings_of_python_2_are_read(tmp_path):
    here.write(tmp_path, {"latin.py": b"# -*- coding: latin-1 -*-\nx = u'\xe9'\nprint 'x'\n"})
    here.write(tmp_path, {"none.py": b"# caf\xe9\r\nx = 3\r\nprint 'x'\r\n"})
    here.write(tmp_path, {"bom.py": b"\xef\xbb\xbfx = u'\xc3\xa9'\nprint 'x'"})
    names = here.run(tmp_path, "import latin, none, bom\n")
    assert (names["latin"].x, names["none"].x, names["bom"].x) == (u"\u00e9", 3, u"\u00e9")


def test_a_module_that_the_script_finds_later_is_its_own(tmp_path):
    here.write(tmp_path, {"later/Queue.py": "MINE = 3\n", "later/sets.py": "MINE = 4\n"})
    source = "import sys\nsys.path.append('later')\nimport Queue\nfrom sets import MINE\nimport thread\n"
    names = here.run(tmp_path, source)
    assert (names["Queue"].MINE, names["MINE"], names["thread"].__name__) == (3, 4, "_thread")


def test_execfile_sees_the_namespace_of_its_caller(tmp_path):
    here.write(tmp_path, {"config.py": "rate = base / 2\nprint 'x'\n"})
    assert here.run(tmp_path, MARK + "base = 7\nexecfile('config.py')\n")["rate"] == 3


def test_what_python_2_had_is_told_by_its_error_if_it_is_missing(tmp_path):
    with pytest.raises(AttributeError, match="no_such"):
        here.run(tmp_path, MARK + "import string\nstring.no_such\n")
    with pytest.raises(AttributeError, match="has_key"):
        here.run(tmp_path, MARK + "(3).has_key(4)\n")


def test_functions_of_datasets_are_python_2_too(tmp_path):
    # AutoGraph reads the file again, and knows no Python 2.
    names = here.run(
        tmp_path,
        "import tensorflow as tf\nprint 'Python 2'\n"
        "def grow(x):\n    for _ in xrange(2):\n        x = x + x / 2\n"
        "    if x > 8:\n        print 'more'\n        x = 7L * x\n    return x\n"
        "with tf.Graph().as_default(), tf.Session() as session:\n"
        "    dataset = tf.data.Dataset.range(5).map(grow)\n"
        "    element = dataset.batch(5).make_one_shot_iterator().get_next()\n"
        "    values = session.run(element)\n",
    )
    expected = [x + x // 2 + (x + x // 2) // 2 for x in range(5)]
    expected = [7 * x if x > 8 else x for x in expected]
    assert max(expected) > 8
    assert names["values"].tolist() == expected and names["values"].dtype == np.int64


def test_text_that_is_run_is_python_2_too(tmp_path):
    names = here.run(
        tmp_path,
        "print 'Python 2'\nfound = {}\nexec 'print 7 / 2; half = 7 / 2; last = xrange(3)[-1]' in found\n"
        "exec compile('third = [x / 2 for x in {1: 2}.keys()]', '<x>', 'exec')\n",
    )
    assert names["found"]["half"] == 3 and names["found"]["last"] == 2 and names["third"] == [0]


@pytest.mark.parametrize("source, said", [
    ("def f():\n    print 'a'\n  print 'b'\n", ":3: neither Python 2 nor Python 3: unindent does not match"),
    ("try:\n    print 'a'\nexcept IOError, e\n    pass\n", ":3: neither Python 2 nor Python 3: the line's end was not"),
    ("print 'a'\nwith = 3\n", ":2: neither Python 2 nor Python 3: '=' was not expected"),
    ("def f(:\n    pass\n", None),  # Python 3 says all
])
def test_what_is_neither_python_is_said_where_it_is(tmp_path, capsys, source, said):
    with pytest.raises(SyntaxError):
        here.run(tmp_path, source)
    err = capsys.readouterr().err
    assert "script.py" + said in err if said else err == ""
