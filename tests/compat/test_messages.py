"""The sentence inside an OpError."""
import types

import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.messages import plain_message


def test_an_error_of_this_tensorflow():
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
def test_what_surrounds_it_is_cut(message, plain):
    assert plain_message(types.SimpleNamespace(message=message)) == plain
