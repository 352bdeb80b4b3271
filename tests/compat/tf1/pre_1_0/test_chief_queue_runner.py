"""The threads of tf.train.SyncReplicasOptimizer's chief, whose gradients do not come any more."""
import pytest
from run.runtime.prepared import script


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: the script makes its own graph."""


def test_the_chief_stops_without_the_gradients_of_workers_that_have_ended():
    with script() as (tf, _), tf.Graph().as_default():
        weight = tf.Variable(1.0)
        step = tf.train.get_or_create_global_step()
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2, total_num_replicas=2)
        train_op = optimizer.minimize(2.0 * weight, global_step=step)
        runner = optimizer.get_chief_queue_runner()
        assert optimizer.get_chief_queue_runner() is runner
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        session.run(optimizer.chief_init_op)
        session.run([optimizer.get_init_tokens_op(), optimizer.ready_for_local_init_op])
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(session, coord=coordinator, daemon=True, start=True)
        assert runner.create_threads(session, coord=coordinator, daemon=True, start=True) == []
        for _ in range(2):  # the gradients of two workers are one update
            session.run(train_op)
        session.run(train_op)  # it has a token of the update; the second gradient of the next one does not come
        assert session.run([weight, step]) == [0.0, 1]
        coordinator.request_stop()
        coordinator.join(stop_grace_period_secs=60)  # RuntimeError if a registered thread still runs
        session.close()
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads)
        coordinator.raise_requested_exception()  # none: the thread ended since the session is closed
