"""The TensorFlow names that a file uses: tables of sources and names."""
import ast
import textwrap

import pytest

from legacy_towers.run.check import uses
from legacy_towers.run.check.findings import Lookups


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: these tests need no TensorFlow."""


HAS = {"tensorflow", "tensorflow.nn", "tensorflow.contrib", "tensorflow.contrib.slim"}
OWN = {"helpers": {"slim": frozenset(["tensorflow.contrib.slim"]), "tf": frozenset(["tensorflow"])}}


def found(text, exists=HAS, replaces_keras=False):
    lookups = Lookups(
        exists=lambda name: name in exists,
        is_module=lambda name: name in HAS,
        names_of=lambda module: ["conv2d", "flatten"],
        module=lambda name, level: name if name in OWN else None,
        bound_in=lambda module: OWN[module],
        replaces_keras=replaces_keras,
    )
    return uses.of_source(ast.parse(textwrap.dedent(text)), lookups)


def names(text, **keywords):
    """Returns the names that a file uses, in the order of their lines, without those in import statements."""
    used = [use for use in found(text, **keywords).uses if use.meanings != ("tensorflow",)]
    used.sort(key=lambda use: (use.line, use.column))
    return ["|".join(each[len("tensorflow.") :] for each in use.meanings) for use in used]


@pytest.mark.parametrize("text, expected", [
    pytest.param("import tensorflow as tf\ntf.mul(1, 2)", ["mul"], id="alias"),
    pytest.param("import tensorflow\ntensorflow.nn.relu(1)", ["nn.relu"], id="plain"),
    pytest.param("import tensorflow.contrib.slim as slim\nslim.conv2d", ["contrib.slim", "contrib.slim.conv2d"],
                 id="import-as"),
    pytest.param("import tensorflow.contrib.slim\ntensorflow.mul", ["contrib.slim", "mul"], id="import-binds-the-top"),
    pytest.param("from tensorflow.contrib import slim as s\ns.conv2d", ["contrib.slim", "contrib.slim.conv2d"],
                 id="from"),
    pytest.param("from tensorflow.contrib.slim import *\nflatten.x\nother.x", ["contrib.slim",
                 "contrib.slim.flatten.x"], id="star"),
    pytest.param("import tensorflow as tf\nslim = tf.contrib.slim\nslim.flatten", ["contrib.slim",
                 "contrib.slim.flatten"], id="assignment"),
    pytest.param("import tensorflow as tf\na, b = tf.nn, tf.train\nb.Saver", ["nn", "train", "train.Saver"],
                 id="assignment-of-several"),
    pytest.param("import tensorflow as tf\ntf = None\ntf.mul", [], id="bound-again"),
    pytest.param("import tensorflow as tf\nfor tf in []: tf.mul", [], id="loop-variable"),
    pytest.param("import tensorflow as tf\ndef f(tf):\n  return tf.mul", [], id="parameter"),
    pytest.param("import tensorflow as tf\nf = lambda tf: tf.mul", [], id="parameter-of-lambda"),
    pytest.param("import tensorflow as tf\nf = lambda x: tf.mul(x, x)", ["mul"], id="lambda"),
    pytest.param("def f():\n  return tf.mul\nimport tensorflow as tf", ["mul"], id="function-before-the-import"),
    pytest.param("def f():\n  import tensorflow as tf\n  return tf.mul\ntf.sub", ["mul"], id="import-in-a-function"),
    pytest.param("import tensorflow as tf\nclass A(tf.nn.Cell):\n  x = tf.mul\n  def f(self): return tf.sub",
                 ["nn.Cell", "mul", "sub"], id="class"),
    pytest.param("import tensorflow as tf\n@tf.fn\ndef f(x=tf.mul): pass", ["fn", "mul"], id="decorator-and-default"),
    pytest.param("import tensorflow as tf\ndef f(x: tf.a, *y: tf.b, z: tf.c = tf.d) -> tf.e: pass", list("abcde"),
                 id="annotations"),
    pytest.param("from __future__ import annotations\nimport tensorflow as tf\nx: tf.a = tf.b\ndef f(x: tf.c): pass",
                 ["b"], id="annotations-that-are-text"),
    pytest.param("import tensorflow as tf\nlambda x=tf.a, *, y=tf.b: tf.c", ["a", "b", "c"], id="lambda-defaults"),
    pytest.param("import tensorflow as tf\nx[tf.a:tf.b, tf.c] = x[tf.d].y[tf.e], *z = 1", list("abcde"),
                 id="subscripts"),
    pytest.param("import tensorflow as tf\n(tf, [*x, y.z]) = tf.a\ntf.b", ["a"], id="nested-targets"),
    pytest.param("import tensorflow as tf\n[tf.mul(tf, 1) for tf in []]", [], id="comprehension-binds"),
    pytest.param("import tensorflow as tf\n{k: tf.mul for k in tf.sub}", ["mul", "sub"], id="dict-comprehension"),
    pytest.param("import tensorflow as tf\nwith tf.device('x') as tf: tf.mul", ["device"], id="with-binds"),
    pytest.param("import tensorflow as tf\nx = [tf.mul][0](tf.sub)[tf.neg]", ["mul", "sub", "neg"], id="nested"),
    pytest.param("import tensorflow as tf\ngetattr(tf.nn, 'relu')", ["nn.relu", "nn"], id="getattr"),
    pytest.param("import tensorflow as tf\ngetattr(tf, 'mul', None)", [], id="getattr-with-default"),
    pytest.param("import importlib\nm = importlib.import_module('tensorflow.nn')\nm.relu", ["nn", "nn.relu"],
                 id="import_module"),
    pytest.param("import helpers\nhelpers.slim.conv2d", ["contrib.slim.conv2d"], id="through-an-own-module"),
    pytest.param("from helpers import slim as s\ns.conv2d", ["contrib.slim.conv2d"], id="from-an-own-module"),
    pytest.param("from helpers import *\ntf.mul", ["mul"], id="star-of-an-own-module"),
    pytest.param("try:\n  from tensorflow.a import x\nexcept ImportError:\n  from tensorflow.b import x\nx.y",
                 ["a.x", "b.x", "a.x.y|b.x.y"], id="one-of-two"),
    pytest.param("import tensorflow as tf\nif new:\n  x = tf.a\nelse:\n  x = tf.b\nx.y", ["a", "b", "a.y|b.y"],
                 id="one-of-two-branches"),
    pytest.param("import tensorflow as tf\nx = tf.a if hasattr(tf, 'gone') else tf.b", ["b"], id="if-expression"),
    pytest.param("import tensorflow as tf\nx = tf.a if tf.b else tf.c\nx.y", ["a", "b", "c", "a.y|c.y"],
                 id="if-expression-of-two"),
    pytest.param("import tensorflow as tf\nhasattr(tf, 'gone') and tf.a or tf.b", ["b"], id="and-or"),
    pytest.param("import tensorflow as tf\nhasattr(tf, 'nn') or tf.a\nother or tf.b", ["b"], id="or"),
    pytest.param("import tensorflow as tf\nx = tf.a\nif new:\n  x = tf.b\nx = tf.c\nx.y", ["a", "b", "c", "c.y"],
                 id="bound-again-after-the-branches"),
])
def test_names_resolve_to_dotted_tensorflow_names(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize("condition, body, other", [
    pytest.param("sys.version_info[0] < 3", False, True, id="version-index"),
    pytest.param("sys.version_info >= (3, 0)", True, False, id="version-tuple"),
    pytest.param("sys.version_info.major == 2", False, True, id="version-major"),
    pytest.param("sys.version_info[0] == '3'", True, True, id="version-is-no-text"),
    pytest.param("sys.version_info >= (3, 'x')", True, True, id="version-has-no-text"),
    pytest.param("sys.version_info.major >= (3, 0)", True, True, id="version-major-is-no-tuple"),
    pytest.param("getattr({[]: 1}, {[]: 1})", True, True, id="no-literal"),
    pytest.param("six.PY2", False, True, id="six"),
    pytest.param("not six.PY3", False, True, id="not"),
    pytest.param("six.PY2 or unknown()", True, True, id="or-unknown"),
    pytest.param("six.PY2 and unknown()", False, True, id="and-false"),
    pytest.param("hasattr(tf, 'nn')", True, False, id="has"),
    pytest.param("hasattr(tf.contrib, 'nothing')", False, True, id="has-not"),
    pytest.param("unknown()", True, True, id="unknown"),
    pytest.param("tf.__version__ >= '2'", False, True, id="tf-version"),
    pytest.param("'2.0' <= tf.VERSION", False, True, id="tf-version-on-the-right"),
    pytest.param("tf.version.VERSION.startswith('1.')", True, False, id="tf-version-starts"),
    pytest.param("tf.__version__[0] == '2'", False, True, id="tf-version-letter"),
    pytest.param("int(tf.__version__.split('.')[0]) > 1", False, True, id="tf-version-number"),
    pytest.param("float(tf.__version__[:3]) < 1.0", False, True, id="tf-version-float"),
    pytest.param("tuple(map(int, tf.__version__.split('.')[:2])) >= (1, 4)", True, False, id="tf-version-map"),
    pytest.param("[int(x) for x in tf.__version__.split('.')] < [1, 4]", False, True, id="tf-version-list"),
    pytest.param("'rc' in tf.__version__", False, True, id="tf-version-in"),
    pytest.param("LooseVersion(tf.__version__) >= LooseVersion('2.0')", False, True, id="loose"),
    pytest.param("distutils.version.LooseVersion(tf.__version__) < '1.4'", False, True, id="loose-and-text"),
    pytest.param("version.parse(tf.__version__) >= version.parse('1.9')", True, False, id="packaging"),
    pytest.param("tf.__version__ >= wanted", True, True, id="tf-version-and-unknown"),
    pytest.param("tf.__version__ >= 2", True, True, id="tf-version-is-no-number"),
    pytest.param("int(tf.__version__)", True, True, id="tf-version-is-no-whole-number"),
    pytest.param("version.parse('1.0')", True, True, id="version-is-no-condition"),
    pytest.param("tf.nn.version >= '2'", True, True, id="another-version"),
    pytest.param("1 < len(tf.__version__) < 9", True, True, id="two-comparisons"),
    pytest.param("int(x for y in z)", True, True, id="generator"),
])
def test_branches_that_are_not_taken_are_skipped(condition, body, other):
    text = "import sys, six, distutils\nfrom distutils.version import LooseVersion\nfrom packaging import version\n"
    text += "import tensorflow as tf\nif {}:\n  tf.mul\nelse:\n  tf.sub".format(condition)
    used = set(names(text))
    assert ("mul" in used, "sub" in used) == (body, other)


_TRIED = "def v():\n  'Doc.'\n  try:\n    from tensorflow.python import tf2\n    return tf2.enabled()\n" \
    "  except {}:\n    return {}\nif v() and x: tf.mul"


@pytest.mark.parametrize("text, left_out", [
    pytest.param("NEW = tf.__version__ >= '2'\nif NEW: tf.mul", True, id="flag"),
    pytest.param("MAJOR = int(tf.__version__.split('.')[0])\nif MAJOR > 1: tf.mul", True, id="number"),
    pytest.param("v = tf.__version__.split('.')\nif v[0] == '2': tf.mul", True, id="parts"),
    pytest.param("OLD = not six.PY3\ndef f():\n  if OLD: tf.mul", True, id="flag-in-a-function"),
    pytest.param("HAS = hasattr(tf, 'gone')\nx = tf.mul if HAS else tf.nn", True, id="flag-of-a-name"),
    pytest.param("NEW = NEW = tf.VERSION > '2'\nif other: NEW = other()\nif NEW: tf.mul", False, id="may-be-another"),
    pytest.param("NEW = other()\nif other: NEW = tf.VERSION > '2'\nif NEW: tf.mul", False, id="may-be-what-it-was"),
    pytest.param("v = tf.VERSION\nif other: v = other()\nif v > '2': tf.mul", False, id="may-be-another-version"),
    pytest.param("NEW = tf.VERSION > '2'\nNEW |= other()\nif NEW: tf.mul", False, id="changed"),
    pytest.param("NEW = tf.VERSION > '2'\ndef f(NEW):\n  if NEW: tf.mul", False, id="parameter"),
    pytest.param("NEW = tf.VERSION > '2'\ndef f():\n  global NEW\n  NEW = other()\nif NEW: tf.mul", False, id="global"),
    pytest.param("NEW = False\nif NEW: tf.mul", False, id="a-setting"),
    pytest.param("def new():\n  return tf.VERSION > '2'\nif new(): tf.mul", True, id="function"),
    pytest.param(_TRIED.format("Exception", "False"), True, id="tried"),
    pytest.param(_TRIED.format("ImportError", "True"), False, id="tried, with another value of the handler"),
    pytest.param(_TRIED.format("Exception", "unknown()"), False, id="tried, with an unknown value of the handler"),
    pytest.param("def v():\n  'Doc.'\n  return tuple(map(int, tf.__version__.split('.')[:2]))\n"
                 "def f():\n  if v() <= (1, 12): tf.mul\n", True, id="function-of-numbers"),
    pytest.param("def v(): return tf.VERSION\ndef new(): return v() > '2'\nif new(): tf.mul", True, id="two-functions"),
    pytest.param("def new(): return tf.VERSION > '2'\nif new: tf.mul", False, id="function-not-called"),
    pytest.param("def new(): return tf.VERSION > '2'\nif new(1): tf.mul", False, id="function-with-an-argument"),
    pytest.param("def new(x=tf.VERSION): return x > '2'\nif new(): tf.mul", False, id="function-of-a-parameter"),
    pytest.param("@other\ndef new(): return tf.VERSION > '2'\nif new(): tf.mul", False, id="decorated-function"),
    pytest.param("def new():\n  if other: return True\n  return tf.VERSION > '2'\nif new(): tf.mul", False,
                 id="function-of-two-statements"),
    pytest.param("x = tf.VERSION\ndef new(): return x > '2'\nif new(): tf.mul", False, id="function-of-a-variable"),
    pytest.param("def new(): return False\nif new(): tf.mul", False, id="function-of-a-setting"),
    pytest.param("def new(): return tf.VERSION > '2'\nif other: new = other\nif new(): tf.mul", False,
                 id="may-be-another-function"),
])
def test_names_that_hold_the_result_of_a_version_check(text, left_out):
    assert ("mul" in names("import six\nimport tensorflow as tf\n" + text)) == (not left_out)


def test_a_try_is_recorded_for_its_body_and_its_handler():
    text = "import tensorflow as tf\ntry:\n  tf.mul\nexcept AttributeError:\n  tf.multiply\nelse:\n  tf.sub"
    by_name = {use.meanings[0]: use for use in found(text).uses}
    assert by_name["tensorflow.mul"].guarded_by == (1,)
    assert by_name["tensorflow.multiply"].fallback_of == (1,)
    assert by_name["tensorflow.sub"].guarded_by == by_name["tensorflow.sub"].fallback_of == ()


def test_a_try_that_catches_other_errors_does_not_guard():
    text = "import tensorflow as tf\ntry:\n  tf.mul\nexcept ValueError:\n  tf.sub"
    assert all(not use.guarded_by and not use.fallback_of for use in found(text).uses)


@pytest.mark.parametrize("text, why", [
    pytest.param("import importlib\nimportlib.import_module('models.' + name)", "imports a module whose name",
                 id="import_module"),
    pytest.param("__import__(name)", "imports a module whose name", id="__import__"),
    pytest.param("import tensorflow as tf\ngetattr(tf.nn, name)", "gets an attribute of tensorflow.nn", id="getattr"),
    pytest.param("import tensorflow as tf\nf(tf.contrib)", "tensorflow.contrib is passed on here", id="argument"),
    pytest.param("import tensorflow as tf\nf(x=tf)", "tensorflow is passed on here", id="named-argument"),
    pytest.param("import tensorflow as tf\ndef f(x=tf.nn): pass", "tensorflow.nn is passed on here", id="default"),
    pytest.param("import tensorflow as tf\ndef f():\n  return tf.contrib", "tensorflow.contrib", id="return"),
    pytest.param("import tensorflow as tf\nself.nn = tf.nn", "tensorflow.nn is passed on here", id="attribute"),
    pytest.param("import tensorflow as tf\nx = {'nn': tf.nn}", "tensorflow.nn is passed on here", id="in-a-dict"),
    pytest.param("import tensorflow as tf\nf([tf.nn])", "tensorflow.nn is passed on here", id="in-a-list"),
    pytest.param("exec(open('x').read())", "exec runs text", id="exec"),
    pytest.param("from tensorflow.gone import *", "import * of tensorflow.gone", id="star-of-a-missing-module"),
])
def test_names_known_only_at_run_time_are_not_understood(text, why):
    (place,) = found(text).not_understood
    assert place.why.startswith(why) and place.line == len(text.splitlines())


@pytest.mark.parametrize("text", [
    "nn = tf.nn", "a, b = tf.nn, tf", "x = tf.nn if new else tf", "tf is None", "hasattr(tf, 'nn')", "print(tf.nn)",
    "f(tf.nn.relu)", "tf.nn.relu(tf.gone)", "x = tf.nn or tf",
])
def test_a_tracked_module_is_understood(text):
    assert found("import tensorflow as tf\n" + text).not_understood == []


def test_uses_have_lines_and_columns():
    text = "import tensorflow as tf\nx = (1 +\n     tf.mul)"
    (use,) = [each for each in found(text).uses if each.meanings == ("tensorflow.mul",)]
    assert (use.line, use.column) == (3, 6)


KERAS = [
    pytest.param("import keras\nkeras.layers.Dense(1)", ["keras", "keras", "keras.layers.Dense"], id="plain"),
    pytest.param("from keras.layers.merge import add\nadd(1)", ["keras", "keras.layers.merge",
                 "keras.layers.merge.add"], id="from"),
    pytest.param("import keras.backend as K\nK.tf", ["keras", "keras.backend", "keras.backend.tf"], id="import-as"),
    pytest.param("def f():\n  from keras import optimizers\n  optimizers.Adam", ["keras", "keras", "keras.optimizers",
                 "keras.optimizers.Adam"], id="module"),
    pytest.param("from .keras import layers\nlayers.Dense", [], id="relative"),
]


@pytest.mark.parametrize("text, expected", KERAS)
def test_names_of_keras_are_checked_if_run_replaces_keras(text, expected):
    used = [meaning for use in found(text, replaces_keras=True).uses for meaning in use.meanings]
    assert used == expected
    assert found(text).uses == []


def test_a_module_named_keras_of_the_script_is_not_checked(monkeypatch):
    monkeypatch.setitem(OWN, "keras", {"nn": frozenset(["tensorflow.nn"])})
    assert [use.meanings for use in found("import keras\nkeras.nn.relu", replaces_keras=True).uses] == [
        ("tensorflow.nn.relu",)]
