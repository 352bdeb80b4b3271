"""Arithmetic of numpy scalars has the types of numpy 1.18, which the tests check on TensorFlow 1.15."""
import ast
import sys

import numpy as np
import pytest

from legacy_towers.run.rewriting import rewriter, scalars

IS_NEEDED = sys.version_info >= (3, 9)
needs_rewriting = pytest.mark.skipif(not IS_NEEDED, reason="numpy 1 needs no rewriting")


def run(source, **names):
    tree = ast.fix_missing_locations(rewriter.rewrite(ast.parse("import numpy as np\n" + source)))
    names = dict(names, np=np)
    exec(compile(tree, "script.py", "exec"), names)
    return names


def pixels():
    return np.array([[200, 3]], np.uint8)


@pytest.mark.parametrize(
    "expression, value, dtype",
    [
        ("np.uint8(200) + 100", 300, np.int64),
        ("img[0, 0] * 2 - 255", 145, np.int64),
        ("img[0][0] * 300", 60000, np.int64),
        ("100 - img[0, 0]", -100, np.int64),
        ("img[0, 0] ** 2", 40000, np.int64),
        ("img[0, 0] << 16", 200 << 16, np.int64),
        ("img[0, 0] % 256", 200, np.int64),
        ("img.max() + 100", 300, np.int64),
        ("img[0, 0] + shift", 300, np.int64),
        ("img[0, 0] + img[0, 0]", 144, np.uint8),
        ("np.float32(3) * 2", 6.0, np.float64),
        ("half[0] + 0.1", 0.6, np.float64),
        ("half.mean() * 0.1", 0.05, np.float64),
        ("big[0] + 1", 2**31, np.int64),
        ("np.uint8(300)", 44, np.uint8),
        ("np.uint8(-1)", 255, np.uint8),
        ("sum(img[0])", 203, np.int64),
        ("sum([np.uint8(200)] * 2)", 400, np.int64),
        ("half * scales[0]", [0.125], np.float32),
        ("half[0] * scales", [0.125], np.float64),
        ("shift + img[0, 0]", 300, np.int64),
        ("img + small[0]", [[205, 8]], np.uint8),
        ("half + scales[0]", [0.75], np.float32),
        ("img[0, 0] * np.array([2], np.int8)", [400], np.int16),
        ("img * np.float32(0.5)", [[100, 1.5]], np.float32),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_arithmetic_has_the_type_and_value_of_numpy_1(expression, value, dtype):
    names = dict(half=np.array([0.5], np.float32), big=np.array([2**31 - 1], np.int32), scales=np.array([0.25]))
    found = run("found = " + expression, img=pixels(), shift=100, small=np.array([5]), **names)["found"]
    assert found.dtype == dtype and found.tolist() == value


@pytest.mark.parametrize(
    "change, left",
    [
        ("img[0, 0] = -1", 255),
        ("img[0, 0] = 300", 44),
        ("img[0, 0] += 300", 244),
        ("img[0, 0] += shift * 3", 244),
        ("img[:] = shift * 3", 44),
        ("img[0, 0] -= shift * 2 + 1", 255),
    ],
)
def test_assigned_integers_wrap_around(change, left):
    assert run(change, img=pixels(), shift=100)["img"][0, 0] == left


def test_sums_of_bytes_from_zero_are_widened():
    source = "total = 0\nfor row in img:\n  for pixel in row:\n    total += pixel\nmean = 0.0\nmean += half"
    names = run(source, img=np.full([4, 4], 100, np.uint8), half=np.float32(0.1))
    assert names["total"] == 1600 and names["mean"] == float(np.float32(0.1)) and names["mean"].dtype == np.float64


@pytest.mark.filterwarnings("ignore:The truth value of an empty array")
def test_empty_arrays_are_false():
    source = "found = []\nif empty: found += [1]\nif not empty: found += [2]\nif empty or bool(empty): found += [3]"
    assert run(source + "\nif pairs[0]: found += [4]", empty=np.array([]), pairs=[[1]])["found"] == [2, 4]
    with pytest.raises(ValueError, match="ambiguous"):
        run("if two: pass", two=np.ones(2))


def test_lists_and_arrays_grow_in_place():
    names = run("before = (rows, values)\nrows += more\nvalues += more", rows=[1], values=np.ones(1), more=[2.0])
    assert names["before"][0] == [1, 2.0] and names["before"][1].tolist() == [3.0]


@needs_rewriting
def test_arithmetic_of_counters_is_not_rewritten():
    counters = (
        "import numpy as np\na = b * c\nd = i + 1\ncount += 1\ne = x.shape[0] * 2\nf = w[i] * x[i]\ntf.max(1) + 1"
    )
    assert ast.dump(rewriter.rewrite(ast.parse(counters))) == ast.dump(ast.parse(counters))
    own_sum = "import numpy as np\nfrom ours import sum\nx = sum(y)"
    assert ast.dump(rewriter.rewrite(ast.parse(own_sum))) == ast.dump(ast.parse(own_sum))


def test_strings_grow_in_place():
    source = "text = ''\nletters = ['ab']\nfor i in range(200000):\n  text += letters[0]\n  text = text + letters[0]"
    assert len(run("def make():\n " + source.replace("\n", "\n ") + "\n return text")["make"]()) == 800000
    if IS_NEEDED:  # copying the string in each step would take minutes
        assert "x += " in ast.unparse(rewriter.rewrite(ast.parse("import numpy\nx += letters[0]")))


@needs_rewriting
def test_large_integers_and_errors_are_those_of_python():
    assert scalars.as_wide(2**70) == 2**70
    with pytest.raises(OverflowError):
        scalars.made(float, 10**400)
    assert scalars.total(iter([1, 2])) == 3 and scalars.total([0.5]) == 0.5
