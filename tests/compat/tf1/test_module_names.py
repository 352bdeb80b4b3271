"""`__dict__` of the modules of the view, whose names are looked up at their first use."""
import types
from unittest import mock

import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree


@pytest.mark.parametrize(
    "module, name, expected",
    [
        ("tensorflow.logging", "INFO", 20),
        ("tensorflow.nn", "relu", tf.nn.relu),
        ("tensorflow.train", "AdamOptimizer", tf.train.AdamOptimizer),
    ],
    ids=["a level", "an activation", "an optimizer"],
)
def test_dict_of_a_module_has_its_names(module, name, expected):
    found = tree.module(module)
    assert found.__dict__[name] == expected and vars(found)[name] == expected
    assert name in vars(found) and name in list(vars(found))
    assert "no_such_name" not in vars(found) and vars(found).get("no_such_name") is None
    with pytest.raises(KeyError):
        found.__dict__["no_such_name"]


def test_a_script_may_replace_a_name_and_restore_it():
    root = tree.module("tensorflow")
    before = root.__dict__["gradients"]
    try:
        root.__dict__["gradients"] = "replaced"
        assert root.gradients == "replaced"
        root.__dict__.update(gradients="again")
        assert root.gradients == "again"
    finally:
        root.__dict__["gradients"] = before
    assert root.gradients is before
    assert isinstance(root, types.ModuleType)


def test_mock_patch_replaces_a_name():
    tf = tree.module("tensorflow")
    own = tf.get_variable
    with mock.patch(tree.IMPORTED_AS + ".get_variable", lambda name: name + " replaced"):
        assert tf.get_variable("x") == "x replaced"
    assert tf.get_variable is own
