"""An operation that is added to a finalized graph is an error that names its line."""
import os

import pytest
import sessions

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import SessionError


def add_in_the_loop(session, step):
    session.run(step.train_op)
    return session.run(step.loss * 2.0)  # the line that is named


def test_the_line_that_adds_to_the_graph_is_named():
    step = sessions.build(sessions.numbers(3))
    with lt.training.session(step, config=sessions.CONFIG) as session:
        with pytest.raises(SessionError) as caught:
            add_in_the_loop(session, step)
        with pytest.raises(SessionError, match="test_finalized.py, line .*add_to_collection"):
            tf.add_to_collection("mine", step.loss)
        session.run(step.train_op)
    message = str(caught.value)
    assert message.startswith(
        "the graph is finalized, since a session such as tf.train.MonitoredTrainingSession runs it, and this line adds "
        "to it: "
    )
    line = add_in_the_loop.__code__.co_firstlineno + 2
    assert "{}, line {}, in add_in_the_loop: ".format(os.path.basename(__file__), line) in message
    assert "Build all operations before the session" in message
    assert isinstance(caught.value, RuntimeError)  # as TensorFlow's own error
