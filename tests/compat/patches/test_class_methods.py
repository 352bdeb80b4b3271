"""Methods of 1.15 that classes of TensorFlow 2 lack; on 1.15 they are its own."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.patches import class_methods

SCALAR = tf.TensorSpec([], tf.int32)
OPTIONAL = tf.data.experimental.Optional


@pytest.fixture(autouse=True)
def methods_of_1_15():
    with class_methods.classes_have_methods_of_1_15():
        yield


def test_strategies_have_experimental_run_v2():
    run = tf.distribute.get_strategy().experimental_run_v2
    assert run(lambda x, y: x - y, args=(5,), kwargs={"y": 2}) == 3 and run(lambda: 4) == 4
    strategies = tf.distribute.Strategy, tf.distribute.MirroredStrategy
    assert all(hasattr(each, "experimental_run_v2") for each in strategies)


def test_an_optional_without_value_has_the_structure_of_its_value():
    empty, full = OPTIONAL.none_from_structure(SCALAR), OPTIONAL.from_value(tf.constant(3))
    assert (empty.value_structure, full.value_structure) == (SCALAR, SCALAR)
    with tf.Session() as session:
        assert session.run([empty.has_value(), full.has_value(), full.get_value()]) == [False, True, 3]


def test_consumers_is_a_method_of_the_class_of_tensors():
    x = tf.constant(1.0)
    assert tf.Tensor.consumers(x) == x.consumers() == []
    y = tf.identity(x)
    assert tf.Tensor.consumers(x) == x.consumers() == [y.op]


@pytest.mark.parametrize("name, expected", [("none_from_structure", True), ("from_value", False), ("no_such", False)])
def test_has_names_only_the_added_methods(name, expected):
    assert class_methods.has(OPTIONAL, name) is expected and not class_methods.has(SCALAR, name)
