"""What scripts get for Python's and numpy's modules: all of today, and what was dropped."""
import array
import ast
import importlib
import io
import sys
import threading
import xml.etree.ElementTree as ElementTree

import numpy as np
import processes
import pytest

from legacy_towers.compat import tf
from legacy_towers.oldtf.changed import attributes, libraries, methods, numpy_view, pictures, rewriting

NEW_PYTHON = pytest.mark.skipif(sys.version_info < (3, 8), reason="Python 3.7 has them all itself")


@pytest.fixture(autouse=True)
def fresh_graph():
    """In place of the one in conftest.py: nothing here needs TensorFlow."""


def view(module):
    return importlib.import_module(libraries.VIEWS[module])


MAY_BE_GONE = {
    "scipy.misc", "xml.etree.cElementTree", "imp", "cgi", "sklearn.externals", "sklearn.externals.joblib",
    "sklearn.datasets.samples_generator", "scipy.sparse.linalg.eigen", "scipy.sparse.linalg.eigen.arpack",
} | {"numpy.lib." + name for name in libraries.CLOSED} | {
    name for name in libraries.VIEWS if name.startswith("keras_preprocessing")  # with what it imports itself
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", sorted(set(libraries.VIEWS) - MAY_BE_GONE))
def test_a_view_has_what_the_module_has(module):
    pytest.importorskip(module.split(".")[0])
    real = importlib.import_module(module)
    for name in dir(real):
        if not name.startswith("_"):
            assert hasattr(view(module), name), name


@pytest.mark.filterwarnings("ignore")
def test_dropped_functions_are_back():
    assert view("fractions").gcd(12, -18) == -6 and view("fractions").gcd(-4, 0) == -4
    assert view("cgi").escape("<a & 'b'>") == "&lt;a &amp; 'b'&gt;"
    assert view("base64").decodestring(view("base64").encodestring(b"abc")) == b"abc"
    assert issubclass(dict, view("collections").Mapping)
    assert view("time").clock() >= 0
    assert view("inspect").getargspec(lambda a, b=1, *c, **d: 0) == (["a", "b"], "c", "d", (1,))
    assert view("xml.etree.cElementTree").fromstring("<a/>").tag == "a"


def test_getargspec_refuses_what_it_can_not_say():
    def function(a, *, b):
        return a, b

    with pytest.raises(ValueError, match="keyword-only"):
        view("inspect").getargspec(function)


def test_random_takes_sets_and_whole_floats():
    random = view("random")
    assert sorted(random.sample({1, 2, 3}, 3)) == [1, 2, 3]
    assert set(random.sample({"a": 1, "b": 2}.keys(), 1)) <= {"a", "b"}
    assert random.randint(3.0, 3.0) == 3 and random.randrange(4.0) in range(4)
    numbers = [1, 2, 3]
    random.shuffle(numbers, lambda: 0.0)
    assert numbers == [2, 3, 1]
    with pytest.raises(ValueError):
        random.randint(0.5, 3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", ["numpy", "time", "collections", "random", "inspect", "fractions", "base64", "json"])
def test_a_star_import_gives_names_of_the_module_alone(module):
    names = {}
    exec("from {} import *".format(libraries.VIEWS[module]), names)
    assert {"current", "Any", "ast", "builtins"} & set(names) <= set(dir(importlib.import_module(module)))


def test_json_takes_an_encoding(tmp_path):
    json = view("json")
    (tmp_path / "x.json").write_text('{"a": 1}')
    assert json.loads('{"a": 1}', encoding="utf-8") == {"a": 1}
    with open(str(tmp_path / "x.json")) as file:
        assert json.load(file, encoding="utf-8") == {"a": 1}


@pytest.mark.filterwarnings("ignore")
def test_names_of_scipy():
    pytest.importorskip("scipy")
    scipy = view("scipy")
    assert scipy.signal.gaussian(3, 1.0).argmax() == 1 and len(view("scipy.signal").hann(5)) == 5
    assert scipy.integrate.trapz([1.0, 3.0]) == 2.0
    assert view("scipy.integrate").simps([0.0, 1.0, 4.0]) == pytest.approx(8 / 3)
    np.testing.assert_allclose(scipy.linalg.pinv2(np.eye(2) * 2), np.eye(2) / 2)
    assert scipy.misc.derivative(lambda x: x**3, 2.0, dx=1e-3, order=5) == pytest.approx(12.0)
    assert scipy.misc.derivative(lambda x: x**3, 2.0, dx=1e-2, n=2) == pytest.approx(12.0)
    assert view("scipy.sparse.linalg.eigen.arpack").eigsh(np.diag([1.0, 2.0, 5.0]), 1)[0] == pytest.approx(5.0)
    assert scipy.misc.factorial(4) == 24 and scipy.misc.comb(4, 2) == 6
    assert scipy.misc.bytescale(np.array([0.0, 1.0])).tolist() == [0, 255]


@pytest.mark.filterwarnings("ignore")
def test_names_of_sklearn():
    pytest.importorskip("sklearn")
    encoded = view("sklearn.preprocessing").OneHotEncoder(sparse=False).fit_transform([[1], [2]])
    assert encoded.tolist() == [[1, 0], [0, 1]]
    assert callable(view("sklearn.externals").joblib.dump) and callable(view("sklearn.externals.joblib").load)
    assert callable(view("sklearn.datasets.samples_generator").make_blobs)


def test_load_source(tmp_path):
    (tmp_path / "beside.py").write_text("VALUE = 3\n")
    assert view("imp").load_source("beside_for_a_test", str(tmp_path / "beside.py")).VALUE == 3
    sys.modules.pop("beside_for_a_test")


@pytest.mark.parametrize(
    "name, value",
    [
        ("int", int),
        ("float", float),
        ("bool", bool),
        ("object", object),
        ("float_", np.float64),
        ("unicode_", np.str_),
        ("bool8", np.bool_),
        ("infty", np.inf),
        ("NINF", -np.inf),
        ("Inf", np.inf),
        ("mat", np.asmatrix),
        ("float32", np.float32),
        ("linalg", np.linalg),
        ("__version__", np.__version__),
    ],
)
def test_names_of_numpy(name, value):
    assert getattr(numpy_view, name) == value


@pytest.mark.filterwarnings("ignore")
def test_lists_of_different_lengths_become_an_array_of_lists():
    for make in (numpy_view.array, numpy_view.asarray):
        made = make([[1], [1, 2]])
        assert made.dtype == object and made.shape == (2,) and made[1] == [1, 2]
    assert numpy_view.array([[1], [2]]).dtype.kind == "i"
    with pytest.raises(ValueError):
        numpy_view.array([[1], [1, 2]], dtype=np.float32)


@pytest.mark.filterwarnings("ignore")
def test_functions_of_numpy():
    floats = np.ones(3)
    assert numpy_view.array(floats, copy=False) is floats
    assert numpy_view.array(floats, copy=False, dtype=np.float32).dtype == np.float32
    assert numpy_view.array(floats) is not floats
    assert numpy_view.array([1, 2], ndmin=2).shape == (1, 2)
    assert numpy_view.array([256, -1], np.uint8).tolist() == [0, 255]
    assert numpy_view.fromstring(b"\x01\x02", np.uint8).tolist() == [1, 2]
    assert numpy_view.fromstring("1 2", sep=" ").tolist() == [1.0, 2.0]
    assert numpy_view.sum(i for i in range(4)) == 6 and numpy_view.sum([[1, 2]], axis=1) == [3]
    assert numpy_view.vstack(np.ones(2) for _ in range(3)).shape == (3, 2)
    assert numpy_view.in1d([[1, 5]], [5]).tolist() == [False, True]
    assert numpy_view.asscalar(np.array([3])) == 3
    assert numpy_view.histogram([0.0, 1.0], 2, normed=True)[0].tolist() == [1.0, 1.0]
    assert numpy_view.find_common_type([np.float32], [np.float64]) == np.float32
    assert numpy_view.asfarray([1]).dtype == np.float64


@pytest.mark.filterwarnings("ignore")
def test_numbers_and_arrays_of_one_number():
    mixed = [np.array([1.5], np.float32), 0.0, np.array([[2.0]])]
    assert numpy_view.asarray(mixed).tolist() == [1.5, 0.0, 2.0]
    assert numpy_view.array(mixed, dtype=np.float32).dtype == np.float32
    assert numpy_view.reshape(mixed, (3, 1)).tolist() == [[1.5], [0.0], [2.0]]
    assert numpy_view.mean(mixed) == pytest.approx(3.5 / 3) and numpy_view.sum(mixed) == 3.5
    assert numpy_view.array([[np.array([1.0]), 2.0], [3.0, 4.0]]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert numpy_view.array([1, [2]]).dtype == object
    assert numpy_view.shape([[1], [1, 2]]) == (2,)
    with pytest.raises(ValueError):
        numpy_view.array([np.array([1.0, 2.0]), 0.0], dtype=np.float32)
    with pytest.raises(ValueError):
        methods.store(np.ones(2), np.zeros(3), 0)


@NEW_PYTHON
def test_math_takes_arrays_of_one_number():
    math = view("math")
    assert math.sqrt(np.array([[4.0]])) == 2.0 and math.pow(2, np.array([3])) == 8.0 and math.floor(1.5) == 1
    assert math.pi == 3.141592653589793
    for wrong in (np.ones(2), "a", None):
        with pytest.raises(TypeError):
            math.exp(wrong)


@NEW_PYTHON
@pytest.mark.filterwarnings("ignore")
def test_arguments_of_numpy():
    assert numpy_view.percentile([1, 2, 3], 60, interpolation="lower") == 2
    assert numpy_view.nanquantile([1, 2, np.nan], 0.5, interpolation="higher") == 2
    assert numpy_view.reshape([1, 2], newshape=(2, 1)).shape == numpy_view.reshape([1, 2], (2, 1)).shape == (2, 1)
    assert numpy_view.issubdtype(np.float32, float) and not numpy_view.issubdtype(np.int32, float)
    assert numpy_view.unique([[1, 2], [3, 2]], return_inverse=True)[1].tolist() == [0, 1, 2, 1]
    values, index, inverse, counts = numpy_view.unique([[2, 1]], True, True, True)
    assert (index.tolist(), inverse.tolist(), counts.tolist()) == ([1, 0], [1, 0], [1, 1])
    assert numpy_view.random.permutation([[1, 2], [3]]).shape == (2,)
    assert numpy_view.random.choice([[1, 2], [3]]) in ([1, 2], [3])
    assert numpy_view.random.RandomState is np.random.RandomState


@pytest.mark.filterwarnings("ignore")
def test_kinds_of_numbers_are_types():
    assert numpy_view.empty(3, dtype=np.integer).dtype == np.int64
    assert numpy_view.zeros([2], np.floating).dtype == np.float64
    assert numpy_view.array([1.5], np.integer).tolist() == [1]
    assert numpy_view.ones(2, bool).dtype == bool


@pytest.mark.filterwarnings("ignore")
def test_lists_of_different_lengths_are_saved(tmp_path):
    numpy_view.savez(str(tmp_path / "x.npz"), ragged=[[1], [1, 2]], plain=[3])
    with np.load(str(tmp_path / "x.npz"), allow_pickle=True) as file:
        assert file["ragged"].tolist() == [[1], [1, 2]] and file["plain"].tolist() == [3]


@pytest.mark.filterwarnings("ignore")
def test_names_of_numpy_without_another_word():
    assert numpy_view.cast[np.float32]([1, 2]).dtype == np.float32
    assert numpy_view.cast["int64"](2.7) == 2
    assert numpy_view.nbytes[np.float32] == 4 and np.float32 in numpy_view.sctypes["float"]
    assert numpy_view.maximum_sctype(np.uint8) == np.uint64 and numpy_view.issctype(np.int32)
    assert numpy_view.math.factorial(4) == 24
    assert numpy_view.warnings.filterwarnings and numpy_view.sys.version_info
    table = numpy_view.recfromcsv(io.BytesIO(b"A,b\n1,2\n3,4\n"))
    assert table.a.tolist() == [1, 3]
    assert numpy_view.lib.pad([1], 1, "constant").tolist() == [0, 1, 0]
    assert numpy_view.lib.stride_tricks.as_strided is np.lib.stride_tricks.as_strided
    assert numpy_view.lib.arraysetops.unique([2, 2]).tolist() == [2]
    assert not hasattr(numpy_view.lib, "no_such_name")


@pytest.mark.filterwarnings("ignore")
def test_methods_that_types_lost():
    picture = np.arange(4, dtype=np.uint8).reshape(2, 2)
    assert methods.attribute(picture, "tostring")() == b"\x00\x01\x02\x03"
    assert methods.attribute(np.float32(1), "tostring")() == np.float32(1).tobytes()
    assert methods.attribute(array.array("b", [1]), "tostring")() == b"\x01"
    assert methods.attribute(picture, "ptp")() == 3
    methods.attribute(picture, "itemset")((1, 1), 9)
    methods.attribute(picture, "itemset")(0, 7)
    assert picture.tolist() == [[7, 1], [2, 9]]
    assert methods.attribute(np.array([1], "<i2"), "newbyteorder")()[0] == 256
    assert methods.attribute(threading.Thread(), "isAlive")() is False
    assert [node.tag for node in methods.attribute(ElementTree.fromstring("<a><b/></a>"), "getchildren")()] == ["b"]
    with pytest.raises(AttributeError, match="tostring"):
        methods.attribute(3, "tostring")


def test_the_private_lists_of_operations():
    start = tf.constant(1.0)
    with tf.control_dependencies([tf.no_op(name="before")]):
        operation = tf.square(start).op
    assert methods.attribute(operation, "_outputs")[0] is operation.outputs[0]
    assert methods.attribute(operation, "_inputs")[0] is start
    assert [each.name for each in methods.attribute(operation, "_control_inputs")] == ["before"]
    with pytest.raises(AttributeError, match="_outputs"):
        methods.attribute(3, "_outputs")


@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_a_variable_begins_with_the_value_of_another(use_resource):
    initializer = tf.random_normal_initializer(seed=1)
    with tf.Graph().as_default() as graph:
        first = tf.get_variable("first", [2], initializer=initializer, use_resource=use_resource)
        second = tf.Variable(methods.attribute(first, "initialized_value")() * 2.0)
        initialize = tf.global_variables_initializer()
        change = first.assign([5.0, 6.0])
    with tf.Session(graph=graph) as session:
        session.run(initialize)
        one, other = session.run([first, second])
        np.testing.assert_allclose(other, 2 * one, rtol=1e-6)
        session.run(change)
        session.run(second.initializer)
        np.testing.assert_allclose(session.run(second), [10.0, 12.0])


def test_numbers_of_arrays():
    assert methods.number(int, np.array([[3.7]])) == 3
    assert methods.number(float, "1.5") == 1.5
    assert methods.formatted("%d %.1f", (np.array([2]), 1.25)) == "2 1.2"
    assert methods.formatted("%.1f", np.array([0.5])) == "0.5"
    assert methods.formatted("%s", "a") == "a"
    with pytest.raises(TypeError):
        methods.formatted("%d", "a")
    with pytest.raises(TypeError):
        methods.number(int, np.array([1, 2]))


def test_datasets_prefetch_a_number_of_numpy():
    from legacy_towers.compat import tf

    with tf.Graph().as_default(), tf.Session() as session:
        dataset = methods.attribute(tf.data.Dataset.range(3), "prefetch")(np.int64(2))
        dataset = methods.attribute(dataset, "prefetch")(buffer_size=np.int32(2))
        assert session.run(tf.data.make_one_shot_iterator(dataset).get_next()) == 0

    class Options:
        prefetch = 4

    assert methods.attribute(Options(), "prefetch") == 4


def test_tensors_of_a_graph_are_of_one_type():
    from legacy_towers.compat import tf

    with tf.Graph().as_default():
        tensors = [tf.zeros([2]), tf.placeholder(tf.float32), tf.Variable(1.0) + 1.0]
        assert [methods.type_of(tensor) for tensor in tensors] == [tf.Tensor] * 3
        assert methods.type_of(tf.Variable(1.0)) is type(tf.Variable(1.0))
        assert methods.type_of(tensors[0].op) is tf.Operation
    assert methods.type_of(3) is int and methods.type_of(int) is type


SCRIPT = '''"""Its docstring."""
from __future__ import print_function

import os
import numpy as np


def line_of_an_error():
    raise KeyError("here")


result = [
    np.zeros(2, np.uint8).tostring(),
    int(np.array([4])),
    "%d" % np.array([5]),
    open(os.devnull, "rU").read(),
    int("7"),
    type(3),
]
values = np.zeros((2, 3))
values[0, 1:] = np.ones(2)
values[1, 2] = np.array([4.0])
values[0][0] += np.array([[2.0]])
values[1, 0] -= values[1, 2]
values[:, 1] *= 3
values[1, 0], values[1, 1], rest = np.array([5.0]), 6.0, 7
table = {"a": [1]}
table["a"] += [2]
table[0] = values[0]
'''


@NEW_PYTHON
@pytest.mark.filterwarnings("ignore")
def test_a_script_is_rewritten():
    names = {}
    exec(compile(rewriting.rewrite(ast.parse(SCRIPT)), "script.py", "exec"), names)
    assert names["result"] == [b"\x00\x00", 4, "5", "", 7, int]
    assert names["values"].tolist() == [[2.0, 3.0, 1.0], [5.0, 6.0, 4.0]]
    assert names["table"]["a"] == [1, 2] and names["table"][0].shape == (3,)
    assert names["__doc__"] == "Its docstring."
    with pytest.raises(KeyError) as caught:
        names["line_of_an_error"]()
    assert caught.traceback[-1].lineno + 1 == 9


@NEW_PYTHON
@pytest.mark.parametrize(
    "source",
    [
        "x = 3 % 2",
        "def int(x): return x\ny = int(3)",
        "from io import open\nopen('x', 'rU')",
        "x = int('7', 8)",
        "x = type('A', (), {})",
        "x = {}\nx[0] = x",
        "import numpy\nx['a'] = x\nx[0] = 'a'\nx[0] += 1\nx[0] = y = x\nx, y = y\nx[0] |= y",
        "open('x', 'rb')",
        "class A: pass\nA.tostring = 3",
    ],
    ids=lambda source: source.split("\n")[-1],
)
def test_what_is_left_alone(source):
    assert ast.dump(rewriting.rewrite(ast.parse(source))) == ast.dump(ast.parse(source))


def test_numbers_are_printed_as_numpy_1_did():
    kept = np.get_printoptions()
    try:
        libraries.prepare()
        assert repr([np.float32(0.5), np.int64(3)]) == "[0.5, 3]"
    finally:
        np.set_printoptions(**kept)


@NEW_PYTHON
def test_a_traceback_shows_the_script_alone(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("import time\n\ntime.clock()\nint('seven')\n")
    done = processes.run([sys.executable, "-m", "legacy_towers", "run", str(script)], cwd=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ValueError: invalid literal")
    assert "line 4" in done.stderr and "oldtf" not in done.stderr


def test_every_method_is_rewritten():
    names = set(attributes.METHODS) | set(attributes.NARROWED) | set(attributes.OF_OPERATIONS)
    names |= set(attributes.OF_SPARSE) | set(attributes.OF_MODELS) | set(attributes.OF_TENSORS)
    names |= set(pictures.OF_MODULES) | set(pictures.OF_OBJECTS)
    assert rewriting._ATTRIBUTES == names | {"device", "errno"}
