"""The shims of Python's, numpy's and other modules have all names of the installed module and the removed ones."""
import array
import ast
import importlib
import importlib.util
import io
import sys
import threading
import xml.etree.ElementTree as ElementTree

import numpy as np
import preloaded
import processes
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.keras import predictions
from legacy_towers.run import replaced_modules
from legacy_towers.run.libraries import needed, numpy, registry
from legacy_towers.run.rewriting import attributes, methods, picture_libraries, rewriter

needs_shims = pytest.mark.skipif(sys.version_info < (3, 8), reason="Python 3.7 lacks none of the names")


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: these tests create their own graphs."""


def shim(module):
    return importlib.import_module(registry.SHIMS[module])


MAY_BE_MISSING = {
    "scipy.misc", "xml.etree.cElementTree", "cgi", "sklearn.externals", "sklearn.externals.joblib",
    "sklearn.datasets.samples_generator", "scipy.sparse.linalg.eigen", "scipy.sparse.linalg.eigen.arpack",
} | {"numpy.lib." + name for name in needed.PRIVATE_SINCE_NUMPY_2} | {
    name for name in registry.SHIMS if name.startswith("keras_preprocessing")  # the package has private imports
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", sorted(set(registry.SHIMS) - MAY_BE_MISSING))
def test_a_shim_has_all_names_of_the_module(module):
    pytest.importorskip(module.split(".")[0])
    real = importlib.import_module(module)
    for name in dir(real):
        if not name.startswith("_"):
            assert hasattr(shim(module), name), name


@pytest.mark.filterwarnings("ignore")
def test_removed_functions_of_python_modules():
    assert shim("fractions").gcd(12, -18) == -6 and shim("fractions").gcd(-4, 0) == -4
    assert shim("cgi").escape("<a & 'b'>") == "&lt;a &amp; 'b'&gt;"
    assert shim("base64").decodestring(shim("base64").encodestring(b"abc")) == b"abc"
    assert issubclass(dict, shim("collections").Mapping)
    assert shim("time").clock() >= 0
    assert shim("inspect").getargspec(lambda a, b=1, *c, **d: 0) == (["a", "b"], "c", "d", (1,))
    assert shim("xml.etree.cElementTree").fromstring("<a/>").tag == "a"


def test_getargspec_rejects_keyword_only_arguments():
    def function(a, *, b):
        return a, b

    with pytest.raises(ValueError, match="keyword-only"):
        shim("inspect").getargspec(function)


def test_random_accepts_sets_and_integral_floats():
    random = shim("random")
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
def test_star_imports_bind_no_names_of_the_shim(module):
    names = {}
    exec("from {} import *".format(registry.SHIMS[module]), names)
    assert {"current", "Any", "ast", "builtins"} & set(names) <= set(dir(importlib.import_module(module)))


def test_json_accepts_an_encoding(tmp_path):
    json = shim("json")
    (tmp_path / "x.json").write_text('{"a": 1}')
    assert json.loads('{"a": 1}', encoding="utf-8") == {"a": 1}
    with open(str(tmp_path / "x.json")) as file:
        assert json.load(file, encoding="utf-8") == {"a": 1}


@pytest.mark.filterwarnings("ignore")
def test_removed_functions_of_scipy():
    pytest.importorskip("scipy")
    scipy = shim("scipy")
    assert scipy.signal.gaussian(3, 1.0).argmax() == 1 and len(shim("scipy.signal").hann(5)) == 5
    assert scipy.integrate.trapz([1.0, 3.0]) == 2.0
    assert shim("scipy.integrate").simps([0.0, 1.0, 4.0]) == pytest.approx(8 / 3)
    np.testing.assert_allclose(scipy.linalg.pinv2(np.eye(2) * 2), np.eye(2) / 2)
    assert scipy.misc.derivative(lambda x: x**3, 2.0, dx=1e-3, order=5) == pytest.approx(12.0)
    assert scipy.misc.derivative(lambda x: x**3, 2.0, dx=1e-2, n=2) == pytest.approx(12.0)
    assert shim("scipy.sparse.linalg.eigen.arpack").eigsh(np.diag([1.0, 2.0, 5.0]), 1)[0] == pytest.approx(5.0)
    assert scipy.misc.factorial(4) == 24 and scipy.misc.comb(4, 2) == 6
    assert scipy.misc.bytescale(np.array([0.0, 1.0])).tolist() == [0, 255]


@pytest.mark.filterwarnings("ignore")
def test_removed_names_of_sklearn():
    pytest.importorskip("sklearn")
    encoded = shim("sklearn.preprocessing").OneHotEncoder(sparse=False).fit_transform([[1], [2]])
    assert encoded.tolist() == [[1, 0], [0, 1]]
    assert callable(shim("sklearn.externals").joblib.dump) and callable(shim("sklearn.externals.joblib").load)
    assert callable(shim("sklearn.datasets.samples_generator").make_blobs)


def test_load_source(tmp_path):
    (tmp_path / "loaded.py").write_text("VALUE = 3\n")
    imp = importlib.import_module(replaced_modules.replaced_modules()["imp"])
    assert imp.load_source("loaded_by_a_test", str(tmp_path / "loaded.py")).VALUE == 3
    sys.modules.pop("loaded_by_a_test")
    with pytest.raises(ImportError, match="is not a Python file"):
        imp.load_source("text_by_a_test", str(tmp_path / "loaded.txt"))


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
def test_removed_names_of_numpy(name, value):
    assert getattr(numpy, name) == value


@pytest.mark.filterwarnings("ignore")
def test_lists_of_different_lengths_become_an_array_of_lists():
    for make in (numpy.array, numpy.asarray):
        made = make([[1], [1, 2]])
        assert made.dtype == object and made.shape == (2,) and made[1] == [1, 2]
    assert numpy.array([[1], [2]]).dtype.kind == "i"
    with pytest.raises(ValueError):
        numpy.array([[1], [1, 2]], dtype=np.float32)


@pytest.mark.filterwarnings("ignore")
def test_removed_functions_and_behaviour_of_numpy():
    floats = np.ones(3)
    assert numpy.array(floats, copy=False) is floats
    assert numpy.array(floats, copy=False, dtype=np.float32).dtype == np.float32
    assert numpy.array(floats) is not floats
    assert numpy.array([1, 2], ndmin=2).shape == (1, 2)
    assert numpy.array([256, -1], np.uint8).tolist() == [0, 255]
    assert numpy.fromstring(b"\x01\x02", np.uint8).tolist() == [1, 2]
    assert numpy.fromstring("1 2", sep=" ").tolist() == [1.0, 2.0]
    assert numpy.sum(i for i in range(4)) == 6 and numpy.sum([[1, 2]], axis=1) == [3]
    assert numpy.vstack(np.ones(2) for _ in range(3)).shape == (3, 2)
    assert numpy.in1d([[1, 5]], [5]).tolist() == [False, True]
    assert numpy.asscalar(np.array([3])) == 3
    assert numpy.histogram([0.0, 1.0], 2, normed=True)[0].tolist() == [1.0, 1.0]
    assert numpy.find_common_type([np.float32], [np.float64]) == np.float32
    assert numpy.asfarray([1]).dtype == np.float64


@pytest.mark.filterwarnings("ignore")
def test_lists_of_numbers_and_one_element_arrays():
    mixed = [np.array([1.5], np.float32), 0.0, np.array([[2.0]])]
    assert numpy.asarray(mixed).tolist() == [1.5, 0.0, 2.0]
    assert numpy.array(mixed, dtype=np.float32).dtype == np.float32
    assert numpy.reshape(mixed, (3, 1)).tolist() == [[1.5], [0.0], [2.0]]
    assert numpy.mean(mixed) == pytest.approx(3.5 / 3) and numpy.sum(mixed) == 3.5
    assert numpy.array([[np.array([1.0]), 2.0], [3.0, 4.0]]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert numpy.array([1, [2]]).dtype == object
    assert numpy.shape([[1], [1, 2]]) == (2,)
    with pytest.raises(ValueError):
        numpy.array([np.array([1.0, 2.0]), 0.0], dtype=np.float32)
    with pytest.raises(ValueError):
        methods.store(np.ones(2), np.zeros(3), 0)


@needs_shims
def test_math_accepts_one_element_arrays():
    math = shim("math")
    assert math.sqrt(np.array([[4.0]])) == 2.0 and math.pow(2, np.array([3])) == 8.0 and math.floor(1.5) == 1
    assert math.pi == 3.141592653589793
    for wrong in (np.ones(2), "a", None):
        with pytest.raises(TypeError):
            math.exp(wrong)


@needs_shims
@pytest.mark.filterwarnings("ignore")
def test_removed_arguments_of_numpy_functions():
    assert numpy.percentile([1, 2, 3], 60, interpolation="lower") == 2
    assert numpy.nanquantile([1, 2, np.nan], 0.5, interpolation="higher") == 2
    assert numpy.reshape([1, 2], newshape=(2, 1)).shape == numpy.reshape([1, 2], (2, 1)).shape == (2, 1)
    assert numpy.issubdtype(np.float32, float) and not numpy.issubdtype(np.int32, float)
    assert numpy.unique([[1, 2], [3, 2]], return_inverse=True)[1].tolist() == [0, 1, 2, 1]
    values, index, inverse, counts = numpy.unique([[2, 1]], True, True, True)
    assert (index.tolist(), inverse.tolist(), counts.tolist()) == ([1, 0], [1, 0], [1, 1])
    assert numpy.random.permutation([[1, 2], [3]]).shape == (2,)
    assert numpy.random.choice([[1, 2], [3]]) in ([1, 2], [3])
    assert numpy.random.RandomState is np.random.RandomState


@pytest.mark.filterwarnings("ignore")
def test_abstract_types_are_accepted_as_dtypes():
    assert numpy.empty(3, dtype=np.integer).dtype == np.int64
    assert numpy.zeros([2], np.floating).dtype == np.float64
    assert numpy.array([1.5], np.integer).tolist() == [1]
    assert numpy.ones(2, bool).dtype == bool


@pytest.mark.filterwarnings("ignore")
def test_lists_of_different_lengths_are_saved(tmp_path):
    numpy.savez(str(tmp_path / "x.npz"), ragged=[[1], [1, 2]], plain=[3])
    with np.load(str(tmp_path / "x.npz"), allow_pickle=True) as file:
        assert file["ragged"].tolist() == [[1], [1, 2]] and file["plain"].tolist() == [3]


@pytest.mark.filterwarnings("ignore")
def test_removed_names_of_numpy_without_a_new_name():
    assert numpy.cast[np.float32]([1, 2]).dtype == np.float32
    assert numpy.cast["int64"](2.7) == 2
    assert numpy.nbytes[np.float32] == 4 and np.float32 in numpy.sctypes["float"]
    assert numpy.maximum_sctype(np.uint8) == np.uint64 and numpy.issctype(np.int32)
    assert numpy.math.factorial(4) == 24
    assert numpy.warnings.filterwarnings and numpy.sys.version_info
    table = numpy.recfromcsv(io.BytesIO(b"A,b\n1,2\n3,4\n"))
    assert table.a.tolist() == [1, 3]
    assert numpy.lib.pad([1], 1, "constant").tolist() == [0, 1, 0]
    assert numpy.lib.stride_tricks.as_strided is np.lib.stride_tricks.as_strided
    assert numpy.lib.arraysetops.unique([2, 2]).tolist() == [2]
    assert not hasattr(numpy.lib, "no_such_name")


@pytest.mark.filterwarnings("ignore")
def test_removed_methods():
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


def test_private_attributes_of_operations():
    start = tf.constant(1.0)
    with tf.control_dependencies([tf.no_op(name="before")]):
        operation = tf.square(start).op
    assert methods.attribute(operation, "_outputs")[0] is operation.outputs[0]
    assert methods.attribute(operation, "_inputs")[0] is start
    assert [each.name for each in methods.attribute(operation, "_control_inputs")] == ["before"]
    with pytest.raises(AttributeError, match="_outputs"):
        methods.attribute(3, "_outputs")


@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_initialized_value(use_resource):
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


def test_conversions_of_one_element_arrays():
    assert methods.number(int, np.array([[3.7]])) == 3
    assert methods.number(float, "1.5") == 1.5
    assert methods.formatted("%d %.1f", (np.array([2]), 1.25)) == "2 1.2"
    assert methods.formatted("%.1f", np.array([0.5])) == "0.5"
    assert methods.formatted("%s", "a") == "a"
    with pytest.raises(TypeError):
        methods.formatted("%d", "a")
    with pytest.raises(TypeError):
        methods.number(int, np.array([1, 2]))


def test_prefetch_accepts_numpy_integers():
    from legacy_towers.compat import tf

    with tf.Graph().as_default(), tf.Session() as session:
        dataset = methods.attribute(tf.data.Dataset.range(3), "prefetch")(np.int64(2))
        dataset = methods.attribute(dataset, "prefetch")(buffer_size=np.int32(2))
        assert session.run(tf.data.make_one_shot_iterator(dataset).get_next()) == 0

    class Options:
        prefetch = 4

    assert methods.attribute(Options(), "prefetch") == 4


def test_the_type_of_tensors_is_tf_tensor():
    from legacy_towers.compat import tf

    with tf.Graph().as_default():
        tensors = [tf.zeros([2]), tf.placeholder(tf.float32), tf.Variable(1.0) + 1.0]
        assert [methods.type_of(tensor) for tensor in tensors] == [tf.Tensor] * 3
        assert methods.type_of(tf.Variable(1.0)) is type(tf.Variable(1.0))
        assert methods.type_of(tensors[0].op) is tf.Operation
    assert methods.type_of(3) is int and methods.type_of(int) is type


SCRIPT = '''"""A docstring."""
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


@needs_shims
@pytest.mark.filterwarnings("ignore")
def test_a_script_is_rewritten():
    names = {}
    exec(compile(rewriter.rewrite(ast.parse(SCRIPT)), "script.py", "exec"), names)
    assert names["result"] == [b"\x00\x00", 4, "5", "", 7, int]
    assert names["values"].tolist() == [[2.0, 3.0, 1.0], [5.0, 6.0, 4.0]]
    assert names["table"]["a"] == [1, 2] and names["table"][0].shape == (3,)
    assert names["__doc__"] == "A docstring."
    with pytest.raises(KeyError) as caught:
        names["line_of_an_error"]()
    assert caught.traceback[-1].lineno + 1 == 9


@needs_shims
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
def test_other_code_is_not_rewritten(source):
    assert ast.dump(rewriter.rewrite(ast.parse(source))) == ast.dump(ast.parse(source))


def test_scalars_in_lists_are_printed_as_in_numpy_1():
    kept = np.get_printoptions()
    try:
        needed.print_numbers_as_numpy_1()
        assert repr([np.float32(0.5), np.int64(3)]) == "[0.5, 3]"
    finally:
        np.set_printoptions(**kept)


@needs_shims
def test_a_traceback_has_no_lines_of_legacy_towers(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("import time\n\ntime.clock()\nint('seven')\n")
    done = processes.run([preloaded.executable(), "-m", "legacy_towers", "run", str(script)], cwd=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ValueError: invalid literal")
    assert "line 4" in done.stderr and "legacy_towers" not in done.stderr


def test_the_rewriter_knows_all_attributes_of_the_tables():
    names = set(attributes.METHODS) | set(attributes.NARROWED) | set(attributes.OF_OPERATIONS)
    names |= set(attributes.OF_SPARSE) | set(predictions.OF_MODELS) | set(attributes.OF_TENSORS)
    names |= set(picture_libraries.OF_MODULES) | set(picture_libraries.OF_OBJECTS)
    assert rewriter._ATTRIBUTES == names | {"device", "errno"}


def test_a_shim_registers_itself_by_its_path():
    here = "legacy_towers.run.libraries."
    assert registry.SHIMS["numpy"] == here + "numpy" and registry.SHIMS["scipy.misc"] == here + "scipy.misc"
    assert registry.SHIMS["html.parser"] == here + "python.html__parser"
    shims = [path for path in registry.SHIMS.values() if path.startswith(here)]
    assert not [path for path in shims if path.rpartition(".")[2].startswith("_")]
    assert [path for path in shims if importlib.util.find_spec(path) is None] == []
