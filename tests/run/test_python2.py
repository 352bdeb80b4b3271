"""Files of Python 2 behave as in Python 2.7; the expected values are from its documentation or its output."""
import ast
import pickle

import numpy as np
import pytest
from run import here

from legacy_towers.run.python2 import syntax


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: the one test that needs TensorFlow creates its own graph."""


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
    "Bare.__class__.__name__": "Kind",
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


class Bare:
    __metaclass__ = Kind


def named():
    pass
""" + MARK


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    """Returns index -> value of the expressions, all from one file, since a translation takes 0.1 s."""
    source = PREAMBLE + "values = {}\n" + "".join(
        "values[{}] = {}\n".format(number, expression) for number, expression in enumerate(VALUES)
    )
    return here.run(tmp_path_factory.mktemp("values"), source)["values"]


@pytest.mark.parametrize("expression", list(VALUES))
def test_expressions_have_their_python_2_values(values, expression):
    found, expected = values[list(VALUES).index(expression)], VALUES[expression]
    found = found.tolist() if isinstance(found, np.ndarray) else found
    assert found == expected
    assert type(found) is type(expected) or isinstance(found, np.generic)


# Name -> (statements, what they print).
STATEMENTS = {
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
    "raise with three arguments": (
        "import sys\ntry:\n    try:\n        1 / 0\n    except Exception, e:\n"
        "        kind, value, tb = sys.exc_info()\n"
        "        raise kind, value, tb\nexcept ZeroDivisionError, again:\n    print again is value",
        "True\n",
    ),
    "raise a new error with a traceback": (
        "import sys\ntry:\n    try:\n        1 / 0\n    except Exception, e:\n"
        "        raise ValueError, 'new', sys.exc_info()[2]\nexcept ValueError, again:\n    print again",
        "new\n",
    ),
    "exec": ("names = {}\nexec 'x = 3' in names\nprint names['x']", "3\n"),
    "augmented division": (
        "import numpy as np\nclass A: n = 7\na = 7\na /= 2\nd = {'k': 7}\nd['k'] /= 2\nl = [5, 9]\nl[0] /= 2\n"
        "A.n /= 2\nb = np.array([7, 8])\nc = b\nb /= 2\nf = np.ones([2, 2])\nf[:, 0] /= 2\nx = 7.\nx /= 2\n"
        "print a, d['k'], l, A.n, list(c) == [3, 4], f.tolist(), x",
        "3 3 [2, 9] 3 True [[0.5, 1.0], [0.5, 1.0]] 3.5\n",
    ),
    "sort": ("l = [1, 3, 2]\nl.sort(lambda a, b: b - a)\nprint l\nl.sort()\nprint l", "[3, 2, 1]\n[1, 2, 3]\n"),
    "tuple parameters": ("def f(a, (b, c)):\n    return a + b + c\nprint f(1, (2, 3))", "6\n"),
    "reload": ("import sys\nreload(sys)\nsys.setdefaultencoding('utf-8')\nprint 'set'", "set\n"),
    "own names": (
        "def f(map, filter=2):\n    return map / filter\nrange = 3\nprint f(7), range / 2\n"
        "def cmp(a, b): return 'own'\nprint cmp(1, 2)",
        "3 1\nown\n",
    ),
    "tabs and blanks": ("if True:\n\tif True:\n\t    x = '''a\n\tb'''\n        print repr(x)", "'a\\n\\tb'\n"),
    "__future__ division": ("print 7 / 2, 7 // 2", "3.5 3\n"),
    "__future__ print_function": ("try:\n    pass\nexcept ValueError, e:\n    pass\nprint('a', 'b', sep='-')", "a-b\n"),
    "version check": (
        "import sys\nif sys.version_info[0] < 3:\n    text = unicode\nelse:\n    text = str\nprint text is str",
        "True\n",
    ),
    "name that may be missing": (
        "try:\n    unicode\nexcept NameError:\n    unicode = str\nprint unicode is str", "True\n"
    ),
    "module that may be missing": (
        "try:\n    import cPickle as p\nexcept ImportError:\n    import pickle as p\nprint p.loads(p.dumps(3))", "3\n"
    ),
}


@pytest.mark.parametrize("source, printed", list(STATEMENTS.values()), ids=list(STATEMENTS))
def test_statements_print_the_output_of_python_2(tmp_path, capsys, source, printed):
    futures = {"__future__ division": "division", "__future__ print_function": "print_function"}
    future = {STATEMENTS[name][0]: feature for name, feature in futures.items()}.get(source)
    first = "from __future__ import {}\n".format(future) if future else ""
    here.run(tmp_path, first + ("" if future == "print_function" else MARK) + source + "\n")
    assert capsys.readouterr().out == printed


def test_files_accept_text_and_bytes(tmp_path):
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


def test_pickles_of_python_2_are_loaded(tmp_path):
    # cPickle.dumps({"data": "\xff\x80"}, 0) of Python 2.7.
    (tmp_path / "batch").write_bytes(b"(dp1\nS'data'\np2\nS'\\xff\\x80'\np3\ns.")
    names = here.run(tmp_path, "import cPickle\nwith open('batch', 'rb') as f:\n    batch = cPickle.load(f)\n")
    assert names["batch"] == {"data": u"\xff\x80"}
    assert pickle.loads(b"I3\n.") == 3


def test_string_io_has_the_type_of_its_first_data(tmp_path):
    names = here.run(
        tmp_path,
        "from StringIO import StringIO\na, b, c = StringIO(), StringIO(), StringIO(b'x')\n"
        "a.write('text')\nb.write(b'bytes')\nkinds = a.getvalue(), b.getvalue(), c.read(), StringIO().read()\n",
    )
    assert names["kinds"] == ("text", b"bytes", b"x", "")


def messages(capsys):
    return [line for line in capsys.readouterr().err.splitlines() if line]


def test_names_of_python_2_are_replaced_in_a_python_3_file(tmp_path, capsys):
    names = here.run(
        tmp_path,
        "import cPickle, itertools\n\nhalves = [x / 2 for x in xrange(3)]\nagain = xrange(2)\n"
        "pairs = {'a': 1}.iteritems()\nkind = unicode\nmapped = map(str, [1])\nzipped = itertools.izip\n"
        "def f(unicode):\n    return unicode\nown = f(7)\n",
    )
    assert names["halves"] == [0.0, 0.5, 1.0] and list(names["pairs"]) == [("a", 1)] and names["own"] == 7
    assert names["zipped"] is zip and type(names["mapped"]) is map and isinstance("", names["kind"])
    assert messages(capsys) == [
        "legacy-towers: script.py:1: cPickle: interpreted as Python 2's",
        "legacy-towers: script.py:3: xrange: interpreted as Python 2's",
        "legacy-towers: script.py:6: unicode: interpreted as Python 2's",
        "legacy-towers: script.py:5: .iteritems: interpreted as .items()",
        "legacy-towers: script.py:8: itertools.izip: interpreted as zip",
    ]


SUPPORTS_BOTH = {
    "names": "try:\n    xrange\nexcept NameError:\n    xrange = range\n",
    "input": "try:\n    input = raw_input\nexcept NameError:\n    pass\n",
    "module": "try:\n    import cPickle as p\nexcept ImportError:\n    import pickle as p\n"
    "assert p.dumps.__module__ == '_pickle'\n",
    "else": "try:\n    unicode\nexcept NameError:\n    is_3 = True\nelse:\n    is_3 = False\nassert is_3\n",
    "version": "import sys\nif sys.version_info[0] == 2:\n    range = xrange\n",
    "six": "import six\nfrom six.moves import xrange\nassert list(xrange(2)) == [0, 1]\n",
    "star": "from own_module import xrange\nassert xrange == 3\n",
    "own class": "class D(dict):\n    def has_key(self, key):\n        return 'own'\nassert D().has_key(1) == 'own'\n",
    "own module": "import Queue\nassert Queue.mine\n",
    "print functions": "import sys\nprint('a', end='')\nif 0: print >>sys.stderr, 'b'\nassert 7 / 2 == 3.5\n",
    "print function in a tuple": "import sys\nprint('a'), sys.stdout.flush()\nprint('b'),\nassert 7 / 2 == 3.5\n",
    "python 3": "print('a', end='')\nassert 7 / 2 == 3.5 and sorted([2, 1], key=abs) == [1, 2]\n",
}


@pytest.mark.parametrize("source", list(SUPPORTS_BOTH.values()), ids=list(SUPPORTS_BOTH))
def test_code_for_both_pythons_is_unchanged(tmp_path, capsys, source):
    here.run(tmp_path, source, own_module="xrange = 3\n", Queue="mine = True\n")
    assert messages(capsys) == []


def test_names_are_replaced_in_a_training_loop_that_catches_all_errors(tmp_path):
    source = "n = 0\ntry:\n    for i in xrange(3):\n        n += i\nexcept Exception as error:\n    n = error\n"
    assert here.run(tmp_path, source)["n"] == 3


def test_names_after_a_try_with_several_imports_are_replaced(tmp_path):
    # Rewriting splits the import into four statements.
    source = "try:\n    import os, sys, json, re\nexcept Exception:\n    os = None\nlast = xrange(3)[-1]\n"
    assert here.run(tmp_path, source)["last"] == 2


def test_the_modules_of_a_python_2_script_are_python_2(tmp_path, capsys):
    names = here.run(
        tmp_path, "import helper, os\nprint 'x'\nhalf = helper.half(7)\n", helper="def half(x):\n    return x / 2\n"
    )
    assert names["half"] == 3
    (line,) = messages(capsys)
    assert line.startswith(
        "legacy-towers: script.py:2: interpreted as Python 2 with all that it imports from its own files: "
    )


def test_a_python_2_module_leaves_the_script_python_3(tmp_path, capsys):
    names = here.run(
        tmp_path, "import helper\nhalf = 7 / 2\n", helper="def f():\n    print 'x'\nhalf = 7 / 2\n"
    )
    assert (names["half"], names["helper"].half) == (3.5, 3)
    (line,) = messages(capsys)
    assert line.startswith("legacy-towers: helper.py:2: interpreted as Python 2: ")


def test_with_py2_all_files_are_python_2(tmp_path):
    names = here.run(tmp_path, "import helper\nhalf = 7 / 2\n", is_python_2=True, helper="half = 9 / 2\n")
    assert (names["half"], names["helper"].half) == (3, 4)


def test_implicit_relative_imports(tmp_path):
    names = here.run(
        tmp_path,
        "print 'x'\nimport package.user\nuser = package.user\n",
        **{
            "package/__init__": "",
            "package/user": "import own_module, queue_helpers as q, json\nfrom own_module import NAME\n"
            "import below.inner\nimport below.inner as inner\n",
            "package/own_module": "NAME = __name__\n",
            "package/queue_helpers": "NAME = __name__\n",
            "package/below/__init__": "",
            "package/below/inner": "NAME = __name__\n",
            "own_module": "NAME = 'the wrong one'\n",
        }
    )
    user = names["user"]
    assert user.NAME == user.own_module.NAME == "package.own_module" and user.q.NAME == "package.queue_helpers"
    assert user.below.inner is user.inner and user.inner.NAME == "package.below.inner"


def test_line_numbers_are_those_of_the_file(tmp_path):
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
    ids=["open bracket", "colon", "not text", "open string", "indentation"],
)
def test_a_file_that_is_neither_python_raises_the_error_of_python_3(tmp_path, source):
    assert syntax.translate(source, "x.py") is None
    with pytest.raises((SyntaxError, ValueError)) as expected:
        ast.parse(source, "x.py")
    here.write(tmp_path, {"broken.py": source})
    with pytest.raises(type(expected.value)):
        here.run(tmp_path, "import broken\n")


@pytest.mark.parametrize(
    "line", ["print >>sys.stderr, 'x'", "print ('a'), 7", "print ('%d') % 7", "print >>sys.stderr"]
)
def test_a_print_statement_that_python_3_can_parse_is_python_2(tmp_path, line):
    assert here.run(tmp_path, "import sys\n{}\nhalf = 7 / 2\n".format(line))["half"] == 3


def test_files_with_other_encodings_are_decoded(tmp_path):
    here.write(tmp_path, {"latin.py": b"# -*- coding: latin-1 -*-\nx = u'\xe9'\nprint 'x'\n"})
    here.write(tmp_path, {"none.py": b"# caf\xe9\r\nx = 3\r\nprint 'x'\r\n"})
    here.write(tmp_path, {"bom.py": b"\xef\xbb\xbfx = u'\xc3\xa9'\nprint 'x'"})
    names = here.run(tmp_path, "import latin, none, bom\n")
    assert (names["latin"].x, names["none"].x, names["bom"].x) == (u"\u00e9", 3, u"\u00e9")


def test_own_modules_on_a_later_sys_path_take_precedence(tmp_path):
    here.write(tmp_path, {"later/Queue.py": "MINE = 3\n", "later/sets.py": "MINE = 4\n"})
    source = "import sys\nsys.path.append('later')\nimport Queue\nfrom sets import MINE\nimport thread\n"
    names = here.run(tmp_path, source)
    assert (names["Queue"].MINE, names["MINE"], names["thread"].__name__) == (3, 4, "_thread")


def test_execfile_runs_in_the_namespace_of_its_caller(tmp_path):
    here.write(tmp_path, {"config.py": "rate = base / 2\nprint 'x'\n"})
    assert here.run(tmp_path, MARK + "base = 7\nexecfile('config.py')\n")["rate"] == 3


def test_missing_attributes_raise_attribute_error(tmp_path):
    with pytest.raises(AttributeError, match="no_such"):
        here.run(tmp_path, MARK + "import string\nstring.no_such\n")
    with pytest.raises(AttributeError, match="has_key"):
        here.run(tmp_path, MARK + "(3).has_key(4)\n")


def test_dataset_functions_are_python_2(tmp_path):
    # AutoGraph parses the source of a function as Python 3.
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


def test_exec_and_compile_run_python_2(tmp_path):
    names = here.run(
        tmp_path,
        "print 'Python 2'\nfound = {}\nexec 'print 7 / 2; half = 7 / 2; last = xrange(3)[-1]' in found\n"
        "exec compile('third = [x / 2 for x in {1: 2}.keys()]', '<x>', 'exec')\n",
    )
    assert names["found"]["half"] == 3 and names["found"]["last"] == 2 and names["third"] == [0]


@pytest.mark.parametrize("source, expected", [
    ("def f():\n    print 'a'\n  print 'b'\n", ":3: neither Python 2 nor Python 3: unindent does not match"),
    ("try:\n    print 'a'\nexcept IOError, e\n    pass\n", ":3: neither Python 2 nor Python 3: unexpected end of line"),
    ("print 'a'\nwith = 3\n", ":2: neither Python 2 nor Python 3: unexpected '='"),
    ("def f(:\n    pass\n", None),  # Python 3's own error suffices
])
def test_a_syntax_error_for_both_pythons_is_reported_with_its_line(tmp_path, capsys, source, expected):
    with pytest.raises(SyntaxError):
        here.run(tmp_path, source)
    err = capsys.readouterr().err
    assert "script.py" + expected in err if expected else err == ""
