"""Private modules of TensorFlow have the names that they had."""
import pytest

from legacy_towers.compat import moved, tf


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
def test_a_name_that_moved_is_where_it_was(module, name, public):
    if module not in moved.modules_as_they_were():
        pytest.fail("nothing is known of " + module)
    assert getattr(moved.modules_as_they_were()[module], name) is getattr(tf, public)


def test_what_is_there_is_taken_and_what_never_was_is_missing():
    module = moved.modules_as_they_were()["tensorflow.python.ops.array_ops"]
    assert module.identity is tf.identity
    with pytest.raises(AttributeError, match="array_ops"):
        module.no_such_thing  # noqa: B018
