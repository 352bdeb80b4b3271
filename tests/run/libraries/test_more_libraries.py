"""The shims of Python's, scipy's and scikit-learn's modules, and rewritten arithmetic."""
import ast
import importlib
import sys

import numpy as np
import pytest

from legacy_towers.compat.tf1 import tree
from legacy_towers.run.libraries import needed, registry
from legacy_towers.run.rewriting import methods, rewriter

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: these tests create their own graphs."""


def shim(module):
    return importlib.import_module(registry.SHIMS[module])


@pytest.mark.parametrize("seed", [np.int64(3), (1, 2), np.float32(2.5), "text"])
def test_random_accepts_any_hashable_seed(seed):
    random = shim("random")
    first, again = random.Random(seed), random.Random(seed)
    assert first.random() == again.random()
    first.seed(seed)
    random.seed(seed)
    assert first.random() == random.random()


def test_a_numpy_integer_seeds_as_an_int():
    random = shim("random")
    assert random.Random(np.int64(7)).random() == importlib.import_module("random").Random(7).random()


def test_codecs_open_accepts_universal_newlines(tmp_path):
    (tmp_path / "x.txt").write_bytes("\u00e4\n".encode("utf-8"))
    with shim("codecs").open(str(tmp_path / "x.txt"), "rU", "utf-8") as file:
        assert file.read() == "\u00e4\n"
    with shim("codecs").open(str(tmp_path / "x.txt"), mode="U", encoding="utf-8") as file:
        assert file.readlines() == ["\u00e4\n"]


def test_html_parser_unescape():
    parser = shim("html.parser").HTMLParser()
    assert parser.unescape("a &amp; b") == "a & b"
    parser.feed("<a>")


def test_scipy_stats_mode_keeps_the_dimension():
    pytest.importorskip("scipy")
    stats = shim("scipy.stats")
    assert stats.mode([1, 1, 2])[0][0] == 1 and stats.mode([1, 1, 2]).count[0] == 2
    assert stats.mode(np.array([[1, 2], [1, 3], [4, 3]]))[0].tolist() == [[1, 3]]
    assert stats.itemfreq([3, 1, 3]).tolist() == [[1, 1], [3, 2]]
    assert shim("scipy").stats.mode([5, 5])[0][0] == 5


def test_vectorizers_have_get_feature_names():
    pytest.importorskip("sklearn")
    text = shim("sklearn.feature_extraction.text")
    for kind in (text.CountVectorizer, text.TfidfVectorizer):
        vectorizer = kind()
        vectorizer.fit(["bb aa", "aa"])
        assert vectorizer.get_feature_names() == ["aa", "bb"]
        assert isinstance(vectorizer, importlib.import_module("sklearn.feature_extraction.text").CountVectorizer)


def test_tsne_accepts_n_iter():
    pytest.importorskip("sklearn")
    points = np.random.RandomState(0).randn(12, 4)
    found = shim("sklearn").manifold.TSNE(n_components=2, perplexity=3, n_iter=250, method="exact", random_state=1)
    assert found.fit_transform(points).shape == (12, 2)
    assert found.init == "random" or found.init == "warn"


def test_mean_squared_error_accepts_squared():
    pytest.importorskip("sklearn")
    metrics = shim("sklearn.metrics")
    assert metrics.mean_squared_error([1.0, 2.0], [1.0, 4.0], squared=False) == pytest.approx(2**0.5)
    assert metrics.mean_squared_error([1.0, 2.0], [1.0, 4.0]) == pytest.approx(2.0)
    columns = ([[1.0, 0.0], [1.0, 0.0]], [[2.0, 3.0], [2.0, 3.0]])
    assert metrics.mean_squared_error(*columns, squared=False) == pytest.approx(2.0)


@pytest.mark.skipif(sys.version_info < (3, 8), reason="scripts are rewritten from Python 3.8 on")
def test_np_random_is_accepted_as_random_state():
    utils = pytest.importorskip("sklearn.utils")
    names = {"np": shim("numpy"), "shuffle": utils.shuffle}
    tree = rewriter.rewrite(ast.parse("np.random.seed(3)\nfound = shuffle(np.arange(9), random_state=np.random)"))
    exec(compile(ast.fix_missing_locations(tree), "script.py", "exec"), names)
    np.random.seed(3)
    order = np.arange(9)
    np.random.shuffle(order)
    assert names["found"].tolist() == order.tolist()
    alone = "shuffle(values, random_state=state)\nshuffle(values, np.random, random=np.random)"
    assert ast.dump(rewriter.rewrite(ast.parse(alone))) == ast.dump(ast.parse(alone))


def test_sklearn_has_its_submodules():
    pytest.importorskip("sklearn")
    names = {}
    exec("import {0} as sklearn\nimport sklearn.svm as svm\n".format(registry.SHIMS["sklearn"]), names)
    assert names["sklearn"].svm is names["svm"] and names["sklearn"].metrics is shim("sklearn.metrics")


def evaluated(expression, **names):
    """Returns the value of `expression` in a script that imports numpy."""
    tree = rewriter.rewrite(ast.parse("import numpy as np\nresult = " + expression))
    exec(compile(ast.fix_missing_locations(tree), "script.py", "exec"), names)
    return names["result"]


# The types of numpy 1.18, which this test checks on TensorFlow 1.15.
@pytest.mark.parametrize(
    "expression, dtype",
    [
        ("w / np.sqrt(3)", np.float32),
        ("np.sqrt(3) * w", np.float32),
        ("w / c.max()", np.float32),
        ("w - np.mean([1, 2])", np.float32),
        ("c / np.sqrt(3)", np.float64),
        ("c * 256", np.uint16),
        ("c * -1", np.int16),
        ("s * 2**15", np.int32),
        ("s * 32768", np.int32),
        ("300 + c", np.uint16),
        ("c - np.float32(1).astype(np.float64)", np.float64),
        ("w * np.arange(2.0)", np.float64),
        ("c * 255", np.uint8),
        ("w * 1000", np.float32),
    ],
)
def test_arithmetic_of_arrays_and_numbers_has_numpy_1_types(expression, dtype):
    names = {"w": np.ones(2, np.float32), "c": np.array([2, 3], np.uint8), "s": np.array([2, 3], np.int16)}
    assert evaluated(expression, **names).dtype == dtype


def test_results_are_computed_in_the_wider_type():
    assert evaluated("c * 256", c=np.array([2, 255], np.uint8)).tolist() == [512, 65280]
    assert evaluated("c * -1", c=np.array([2, 255], np.uint8)).tolist() == [-2, -255]


@pytest.mark.parametrize(
    "value, dtype, made",
    [(-1, np.int16, [-1, 2, 3]), (300, np.uint16, [300, 2, 3]), (255, np.uint8, [255, 2, 3])],
)
def test_where_widens_an_array_for_a_number(value, dtype, made):
    labels = np.array([1, 2, 3], np.uint8)
    found = shim("numpy").where(labels > 1, labels, value)
    assert found.dtype == dtype and found.tolist() == made
    other_way = shim("numpy").where(labels <= 1, value, labels)
    assert other_way.dtype == dtype and other_way.tolist() == made


def test_where_of_other_values_is_unchanged():
    numpy = shim("numpy")
    assert numpy.where(np.array([False, True]))[0].tolist() == [1]
    assert numpy.where(np.array([True, False]), np.zeros(2, np.float32), -1).dtype == np.float32
    assert numpy.where(True, -1, 2) == -1


def test_full_wraps_integers_around():
    numpy = shim("numpy")
    assert numpy.full((2,), -1, np.uint8).tolist() == [255, 255]
    assert numpy.full_like(np.zeros(2, np.int8), 200).tolist() == [-56, -56]
    assert numpy.full_like([1, 2], 300, dtype="uint8").tolist() == [44, 44]
    assert numpy.full(2, 0.5).dtype == np.float64 and numpy.full((1,), -1, np.int32).tolist() == [-1]


def test_arithmetic_of_other_values_is_unchanged():
    assert evaluated("1000 * 'a'") == "a" * 1000 and evaluated("x.max() + 1.5", x=np.arange(3)) == 3.5
    with pytest.raises(ZeroDivisionError):
        evaluated("1000 / x", x=0)
    with pytest.raises(OverflowError):
        evaluated("x / 1000", x=10**400)


@pytest.mark.skipif(sys.version_info < (3, 8), reason="scripts are rewritten from Python 3.8 on")
def test_arithmetic_that_keeps_its_type_is_not_rewritten():
    unchanged = "import numpy as np\na = b * c\nd = i + 1\ne = f(x) * tf.sqrt(y)\ng = 2 * np.pi\nh = i * 100"
    tree = rewriter.rewrite(ast.parse(unchanged))
    assert ast.dump(tree) == ast.dump(ast.parse(unchanged))
    no_numpy = "a = b * 1000"
    assert ast.dump(rewriter.rewrite(ast.parse(no_numpy))) == ast.dump(ast.parse(no_numpy))


def test_sparse_matrices_have_a_and_h():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_matrix(np.array([[0.0, 2.0j], [0.0, 0.0]]))
    assert methods.attribute(matrix, "A").tolist() == [[0.0, 2.0j], [0.0, 0.0]]
    assert methods.attribute(matrix, "H").toarray().tolist() == [[0.0, 0.0], [-2.0j, 0.0]]
    with pytest.raises(AttributeError):
        methods.attribute(object(), "A")


def test_pkg_resources_compares_versions():
    packages = shim("pkg_resources")
    assert packages.parse_version("1.9.0") < packages.parse_version("1.15.5")
    assert packages.get_distribution("numpy").version == np.__version__
    if needed.are_needed():
        assert packages.get_distribution("tensorflow").version.startswith("1.15")
    assert packages.resource_string("numpy", "__init__.py")
    with pytest.raises(packages.DistributionNotFound):
        packages.get_distribution("no_such_package_of_any_name")


@pytest.mark.skipif(sys.version_info < (3, 8), reason="TensorFlow 1.15 itself accepts it")
def test_num_parallel_calls_may_be_an_int32_tensor():
    from legacy_towers.compat import tf

    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.range(3)
        calls = tf.constant(2, dtype=tf.int32)
        doubled = methods.attribute(dataset, "map")(lambda x: 2 * x, num_parallel_calls=calls)
        again = methods.attribute(doubled, "map")(lambda x: x + 1, calls)
        flat = methods.attribute(again, "interleave")(tf.data.Dataset.from_tensors, cycle_length=1)
        following = tf.data.make_one_shot_iterator(flat).get_next()
        assert [session.run(following) for _ in range(3)] == [1, 3, 5]


@pytest.mark.parametrize("units, classes", [(1, [[0], [1]]), (2, [0, 1])])
def test_sequential_models_predict_classes(units, classes):
    class Sequential:
        def predict(self, x, batch_size, verbose):
            assert (batch_size, verbose) == (32, 0)
            return np.array(x)[:, -units:]

    class Own(Sequential):
        pass

    rows = [[0.9, 0.1], [0.3, 0.7]]
    assert methods.attribute(Own(), "predict_classes")(rows).tolist() == classes
    assert methods.attribute(Own(), "predict_proba")(rows).shape == (2, units)
    with pytest.raises(AttributeError):
        methods.attribute(object(), "predict_classes")


def test_keras_preprocessing_is_that_of_tf_keras():
    tree.install()
    assert shim("keras_preprocessing.sequence").pad_sequences([[1]], 3).tolist() == [[0, 0, 1]]
    assert shim("keras_preprocessing").text.text_to_word_sequence("One two.") == ["one", "two"]
    assert callable(shim("keras_preprocessing.image").ImageDataGenerator)
    assert shim("keras_preprocessing.text").Tokenizer is shim("keras_preprocessing").text.Tokenizer


def test_yaml_load_needs_no_loader():
    yaml = pytest.importorskip("yaml")
    shimmed = shim("yaml")
    text = "rate: 1.0e-3\nsteps: [20, 30]\nsize: !!python/tuple [2, 3]"
    assert shimmed.load(text) == {"rate": 1e-3, "steps": [20, 30], "size": (2, 3)}
    assert list(shimmed.load_all("a: 1\n---\nb: 2")) == [{"a": 1}, {"b": 2}]
    assert shimmed.load("a: 1", Loader=yaml.SafeLoader) == shimmed.load("a: 1", yaml.SafeLoader) == {"a": 1}
    assert shimmed.safe_load("a: 1") == {"a": 1}
    assert shimmed.dump({"a": 1}) == yaml.dump({"a": 1})
    with pytest.raises(yaml.YAMLError):
        shimmed.load("!!python/tuple [2, 3]", yaml.SafeLoader)
