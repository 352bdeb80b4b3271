"""Messages of tf.errors.OpError without node names and stacks."""
import types

import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.versions.messages import plain_message, with_operation


def test_plain_message_of_an_error_of_this_tensorflow():
    checked = tf.debugging.check_numerics(tf.constant(1.0) / tf.zeros([]), "loss is")
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(checked)
    assert plain_message(caught.value) == "loss is : Tensor had Inf values"


@pytest.mark.parametrize(
    "message, plain",
    [
        ("/tmp/none; No such file or directory", "/tmp/none; No such file or directory"),
        ("queue is closed\n\t [[node q_Dequeue (defined at a.py:1) ]]", "queue is closed"),
        ("no key v\n\nOriginal stack trace for 'save':\n  File", "no key v"),
        ("Graph execution error:\n\nDetected at node 'a' defined:\n  File\nNode: 'a'\nbad\n\t [[{{node a}}]]", "bad"),
        ("Graph execution error:\n\nbad\nworse", "bad\nworse"),
        ("2 root error(s) found.\n  (0) Data loss: bad at 7\n\t [[{{node a}}]]\n  (1) Data loss: bad at 9", "bad at 7"),
        ("2 root error(s) found.\n  (0) DATA_LOSS: bad at 7\n\t [[{{node a}}]]", "bad at 7"),
    ],
)
def test_plain_message_cuts_node_names_and_stacks(message, plain):
    assert plain_message(types.SimpleNamespace(message=message)) == plain


def test_with_operation_adds_the_operation_to_the_error_of_a_callable():
    with tf.name_scope("here"):
        checked = tf.debugging.check_numerics(tf.constant(1.0) / tf.zeros([]), "loss is", name="checked")
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError) as of_run:
            session.run(checked.op)
        with pytest.raises(tf.errors.InvalidArgumentError) as of_callable:
            session.make_callable(checked.op)()
        error = with_operation(of_callable.value, session.graph)
    assert of_callable.value.op is None
    assert error.op is of_run.value.op is checked.op and type(error) is type(of_run.value)
    assert plain_message(error) == "loss is : Tensor had Inf values"
    assert "test_messages.py" in error.message and with_operation(error, None) is error
