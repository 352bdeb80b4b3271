"""`__dict__` of the modules that scripts see, whose names are looked up when they are first asked for."""
import types
from unittest import mock

import pytest

from legacy_towers.compat import tf
from legacy_towers.oldtf import tree


@pytest.mark.parametrize(
    "module, name, expected",
    [
        ("tensorflow.logging", "INFO", 20),
        ("tensorflow.nn", "relu", tf.nn.relu),
        ("tensorflow.train", "AdamOptimizer", tf.train.AdamOptimizer),
    ],
    ids=["a level", "an activation", "an optimizer"],
)
def test_a_name_is_taken_from_the_dictionary_of_a_module(module, name, expected):
    found = tree.module(module)
    assert found.__dict__[name] == expected and vars(found)[name] == expected
    assert name in vars(found) and name in list(vars(found))
    assert "no_such_name" not in vars(found) and vars(found).get("no_such_name") is None
    with pytest.raises(KeyError):
        found.__dict__["no_such_name"]


def test_a_script_may_exchange_a_name_and_put_it_back():
    root = tree.module("tensorflow")
    before = root.__dict__["gradients"]
    try:
        root.__dict__["gradients"] = "exchanged"
        assert root.gradients == "exchanged"
        root.__dict__.update(gradients="again")
        assert root.gradients == "again"
    finally:
        root.__dict__["gradients"] = before
    assert root.gradients is before
    assert isinstance(root, types.ModuleType)


def test_a_name_is_replaced_by_mock():
    tf = tree.module("tensorflow")
    own = tf.get_variable
    with mock.patch(tree.IMPORTED_AS + ".get_variable", lambda name: name + " replaced"):
        assert tf.get_variable("x") == "x replaced"
    assert tf.get_variable is own
