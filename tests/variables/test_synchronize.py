"""Copies of variables are synchronized, differences are detected, and copies follow a restored checkpoint."""
import nets
import numpy as np
import pytest
from copied_towers import DEVICES, by_name, towers_step

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.variables import LocalSGD, Replicated, check_copies, synchronize


@pytest.mark.parametrize("variable_kind", ["resource", "ref"])
def test_the_error_for_a_different_copy_names_it(variable_kind):
    step = towers_step(
        Replicated(check_every=3), "dense", "momentum", nets.no_decay, DEVICES[1], variable_kind == "resource"
    )
    variables = step.towers[0].variables
    spoil = [tf.assign_add(variables.own(2, by_name("b1")), [0.25] + [0.0] * 15),
             tf.assign_add(variables.own(3, by_name("b1/Momentum")), [1.0] * 16)]
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        run()
        check_copies(session)
        session.run(spoil)
        run()
        message = "tower 2's copy of 'b1' differs from it in 1 of 16 numbers, by at most 0.25.*tower 3's copy of 'b1"
        with pytest.raises(TowerError, match=message):
            run()
        with pytest.raises(TowerError, match="tower 3's copy of 'b1/Momentum' differs from it in 16 of 16 numbers"):
            check_copies(session)
        synchronize(session)
        check_copies(session)
        run()


DRIFTS = [
    (np.float32, [1.0, np.nan], [1.0, np.nan], None),
    (np.float64, [1.0, np.nan], [np.nan, np.nan], "in 1 of 2 numbers, by at most nan"),
    (np.float32, [0.0, 1.0], [-0.0, 1.0], "in 1 of 2 numbers, by at most 0"),
    (np.float64, [1.0, 1.0], [1.0, np.nextafter(1.0, 2.0)], "in 1 of 2 numbers, by at most 2.22e-16"),
    (np.float16, [1.0, np.nan], [1.5, np.nan], "by at most 0.5"),
    (np.int64, [2**62, 0], [2**62 + 1, 0], "in 1 of 2 numbers"),
    (np.int32, [1, 2], [1, 4], "by at most 2"),
    (np.uint8, [1, 2], [1, 2], None),
    (np.bool_, [True, False], [True, True], "in 1 of 2 numbers, by at most 1"),
    (np.complex64, [1j, 0], [1j, 1], "by at most 1"),
]


@pytest.mark.parametrize("dtype, tower_0, tower_1, message", DRIFTS, ids=lambda value: getattr(value, "__name__", "-"))
def test_copies_are_compared_bit_by_bit_except_nan(dtype, tower_0, tower_1, message):
    def model_fn(batch, mode):
        tf.get_variable("v", initializer=np.zeros([2], dtype), trainable=False)
        return lt.TowerOutput(loss=batch * tf.get_variable("w", []))

    towers = lt.replicate(model_fn, [tf.constant(1.0)] * 2, DEVICES[0], Replicated())
    values = zip(towers[0].variables.copies_of(by_name("v")), [tower_0, tower_1])
    write = [tf.assign(copy, np.array(value, dtype)) for copy, value in values]
    with tf.Session(config=nets.config(2)) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(write)
        if message is None:
            check_copies(session)
        else:
            with pytest.raises(TowerError, match="tower 1's copy of 'v' differs from it.*" + message):
                check_copies(session)


@pytest.mark.parametrize("strategy", [Replicated(check_every=1), LocalSGD(10)], ids=repr)
def test_copies_follow_a_restored_checkpoint(strategy, tmp_path):
    """A checkpoint of another run, slots included, is written to every copy at the start of a session."""
    with tf.Graph().as_default():
        first = towers_step(Replicated(), "dense", "momentum", nets.no_decay, DEVICES[0])
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path), hooks=first.hooks, config=nets.config(2)
        ) as session:
            for _ in range(3):
                session.run(first.train_op)
    saved = {name: tf.train.load_variable(str(tmp_path), name) for name, _ in tf.train.list_variables(str(tmp_path))}
    step = towers_step(strategy, "dense", "momentum", nets.no_decay, DEVICES[1])
    variables = step.towers[0].variables
    copies = {variable.op.name: variables.copies_of(variable) for variable in tf.global_variables()}
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=step.hooks, config=nets.config(2)
    ) as session:
        for name, values in session.run(copies).items():
            for value in values:
                np.testing.assert_array_equal(value, saved[name])
        assert {name for name in copies if copies[name]} == set(saved) - {"global_step"}
        session.run(step.train_op)


def test_a_restore_in_the_middle_of_a_session_needs_synchronize(tmp_path):
    step = towers_step(Replicated(), "dense", "momentum", nets.no_decay, DEVICES[0])
    saver = tf.train.Saver()
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        run()
        path = saver.save(session, str(tmp_path / "own"))
        run()
        saver.restore(session, path)
        with pytest.raises(TowerError, match="copies of variables differ"):
            check_copies(session)
        synchronize(session)
        check_copies(session)


def test_synchronize_in_a_monitored_session():
    step = towers_step(Replicated(), "dense", "momentum", nets.no_decay, DEVICES[0])
    spoil = tf.assign(step.towers[1].variables.own(1, by_name("b1")), np.ones([16]))

    class Forbidden(tf.train.SessionRunHook):
        allowed = True

        def before_run(self, run_context):
            assert self.allowed, "a run of the hooks' own"

    forbidden = Forbidden()
    with tf.train.MonitoredTrainingSession(hooks=step.hooks + [forbidden], config=nets.config(2)) as session:
        session.run([step.train_op])
        session.run(spoil)
        forbidden.allowed = False
        with pytest.raises(TowerError, match="tower 1's copy of 'b1'"):
            check_copies(session)
        synchronize(session)
        check_copies(session)


def test_a_finalized_graph_without_the_hook():
    towers_step(Replicated(), "dense", "sgd", nets.no_decay, DEVICES[0])
    tf.get_default_graph().finalize()
    with tf.Session(config=nets.config(2)) as session:
        with pytest.raises(ArgumentError, match="the graph is finalized.*add the step's hooks to the session"):
            synchronize(session)
