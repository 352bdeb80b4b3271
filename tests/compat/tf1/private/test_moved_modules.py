"""Private modules of TensorFlow with the names that 2.x moved out of them."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.private import moved_modules


@pytest.mark.parametrize(
    "module, name, public",
    [
        ("tensorflow.python.framework.ops", "Tensor", "Tensor"),
        ("tensorflow.python.framework.ops", "IndexedSlices", "IndexedSlices"),
        ("tensorflow.python.ops.array_ops", "unstack", "unstack"),
        ("tensorflow.python.ops.control_flow_ops", "cond", "cond"),
        ("tensorflow.python.ops.control_flow_ops", "Assert", "Assert"),
    ],
    ids=lambda value: value.split(".")[-1],
)
def test_a_moved_name_is_found_in_its_old_module(module, name, public):
    if module not in moved_modules.modules_with_moved_names():
        pytest.fail("no name of {} is in the table".format(module))
    assert getattr(moved_modules.modules_with_moved_names()[module], name) is getattr(tf, public)


def test_names_that_did_not_move_are_found_and_unknown_names_are_not():
    module = moved_modules.modules_with_moved_names()["tensorflow.python.ops.array_ops"]
    assert module.identity is tf.identity
    with pytest.raises(AttributeError, match="array_ops"):
        module.no_such_thing  # noqa: B018
