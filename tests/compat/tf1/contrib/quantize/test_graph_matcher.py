"""tf.contrib.quantize.python.graph_matcher; on TensorFlow 1.15 the same tests check TensorFlow's own."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree


@pytest.fixture(name="matcher")
def _matcher():
    return tree.module("tensorflow.contrib.quantize.python.graph_matcher")


def _graph():
    one, two = tf.unstack(tf.placeholder(tf.float32, [2, 3], name="x"), name="unstacked")
    tf.identity(tf.nn.relu(tf.constant([1.0, 2.0, 3.0]) * two, name="relu"), name="end")
    tf.nn.relu6(one - two, name="relu6")
    return two


def test_unordered_inputs_match_in_any_order(matcher):
    two = _graph()
    x, constant = matcher.OpTypePattern("*", name="x"), matcher.OpTypePattern("Const")
    pattern = matcher.OpTypePattern(
        "Relu|Relu6", inputs=[matcher.OpTypePattern("Mul", inputs=[x, constant], ordered_inputs=False)]
    )
    (found,) = matcher.GraphMatcher(pattern).match_graph(tf.get_default_graph())
    assert found.get_op(pattern).name == "relu" and found.get_tensor(pattern) is None
    assert found.get_op("x").name == "unstacked" and found.get_tensor(x) is two
    assert found.get_op(constant).type == "Const"
    assert found.get_op("y") is None and found.get_tensor(matcher.OpTypePattern("*")) is None
    with pytest.raises(ValueError, match="Expect Pattern or str"):
        found.get_op(3)


def test_ordered_inputs_match_in_order_only(matcher):
    _graph()
    for inputs in (["*", "Const"], ["Const"]):
        found = matcher.GraphMatcher(matcher.OpTypePattern("Mul", inputs=inputs)).match_graph(tf.get_default_graph())
        assert list(found) == []


def test_oneof_pattern_matches_the_first_match(matcher):
    _graph()
    product, difference = matcher.OpTypePattern("Mul"), matcher.OpTypePattern("Sub", inputs=["Unpack", "Unpack"])
    pattern = matcher.OpTypePattern("*", inputs=[matcher.OneofPattern([product, difference])])
    matches = list(matcher.GraphMatcher(pattern).match_graph(tf.get_default_graph()))
    assert [found.get_op(pattern).name for found in matches] == ["relu", "relu6"]
    assert matches[0].get_op(difference) is None and matches[1].get_op(difference).type == "Sub"


def test_invalid_patterns_raise(matcher):
    with pytest.raises(ValueError, match="8 inputs"):
        matcher.OpTypePattern("AddN", inputs=["*"] * 9)
    result = matcher.MatchResult()
    operation = _graph().op
    result.add(matcher.OpTypePattern("*", name="x"), operation, None)
    with pytest.raises(ValueError, match="already bound"):
        result.add(matcher.OpTypePattern("*", name="x"), operation, None)
