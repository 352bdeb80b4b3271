"""Asynchronous updates: none is lost in any order, and the staleness of each is counted."""
import threading

import numpy as np
import pytest

from legacy_towers import gradients as reductions
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import ReductionContext
from legacy_towers.gradients.reduce import prepare, reduce_gradients
from legacy_towers.update import apply_reduced
from legacy_towers.update.asynchronous import TowerUpdate, asynchronous_updates

RATE = 0.5


def global_step():
    with tf.variable_scope(tf.get_variable_scope(), use_resource=True):
        return tf.train.get_or_create_global_step()


def variable(name, shape, dtype=tf.float64):
    return tf.get_variable(name, shape, dtype, tf.zeros_initializer(), use_resource=True)


def updates_of(losses, optimizer, reduction=None, **options):
    """Returns the asynchronous updates of one tower per loss."""
    updates = []
    for tower, loss in enumerate(losses):
        context = ReductionContext(["/cpu:0"], [tower], None, global_step(), "reduction/tower_{}".format(tower))
        prepared = prepare(reduction or reductions.mean(), context, tf.trainable_variables())
        pairs = optimizer.compute_gradients(prepared.scale_loss(loss))
        updates.append(TowerUpdate(tower, [(optimizer, prepared.reduce([pairs]))]))
    return asynchronous_updates(updates, global_step(), "/cpu:0", **options)


def race(made, steps, fetches):
    """Runs tower 0 for some steps while the others run; returns the final fetches, and each tower's updates."""
    with tf.train.MonitoredTrainingSession(hooks=[made.hook]) as session:
        for _ in range(steps):
            session.run(made.train_ops[0])
        with made.hook.paused():
            values = session.run(fetches)
            counts = [tower.updates for tower in made.hook.staleness]
    return values, counts


@pytest.mark.parametrize("towers", [1, 2, 4])
def test_any_order_of_constant_gradients_gives_their_sum(towers):
    w, v = variable("w", [3]), variable("v", [2])
    slopes = np.arange(5.0 * towers).reshape(towers, 5) + 1
    made = updates_of(
        [tf.reduce_sum(w * slope[:3]) + tf.reduce_sum(v * slope[3:]) for slope in slopes],
        tf.train.GradientDescentOptimizer(RATE),
    )
    (found_w, found_v, step), counts = race(made, 100, [w, v, global_step()])
    assert counts[0] == 100 and step == sum(counts)
    assert np.concatenate([found_w, found_v]).tolist() == (-RATE * slopes.T.dot(counts)).tolist()
    for tower in made.hook.staleness:
        # The staleness can't be more than the number of other towers' updates.
        assert sum(tower.histogram) == tower.updates and 0 <= tower.most <= sum(counts) - tower.updates
    assert made.hook.staleness[0].most == 0 or towers > 1


def test_no_sparse_update_of_the_same_rows_is_lost():
    """Without the lock some would be lost: TensorFlow runs two sparse updates of the same rows at the same time."""
    table = variable("table", [4, 300])
    rows = [0] * 200 + [1, 2] * 50
    made = updates_of(
        [tf.reduce_sum(tf.gather(table, rows)) * (tower + 1.0) for tower in range(3)],
        tf.train.GradientDescentOptimizer(RATE),
    )
    (found, step), counts = race(made, 200, [table, global_step()])
    whole = -RATE * np.dot([1.0, 2.0, 3.0], counts)
    assert step == sum(counts)
    assert found.tolist() == (np.array([200.0, 50, 50, 0])[:, None] * np.full([1, 300], whole)).tolist()


def test_no_update_of_adams_beta_powers_is_lost():
    w = variable("w", [2], tf.float32)
    optimizer = tf.train.AdamOptimizer(0.01, beta1=0.9961, beta2=0.9971)
    made = updates_of([tf.reduce_sum(w)] * 3, optimizer)
    powers = [tf.global_variables("beta1_power"), tf.global_variables("beta2_power")]
    ((one,), (two,)), counts = race(made, 150, powers)
    first, second = np.float32(0.9961), np.float32(0.9971)
    for _ in range(sum(counts)):
        first, second = first * np.float32(0.9961), second * np.float32(0.9971)
    assert [one, two] == [first, second]


def test_moving_averages_follow_every_update():
    w = variable("w", [1])
    averages = tf.train.ExponentialMovingAverage(0.75, global_step())
    made = updates_of(
        [tf.reduce_sum(w)] * 3, tf.train.GradientDescentOptimizer(RATE), moving_averages=averages,
        averaged_variables=[w],
    )
    (found, average), counts = race(made, 60, [w, averages.average(w)])
    value = expected = 0.0
    for step in range(1, sum(counts) + 1):
        value -= RATE
        decay = min(0.75, (1.0 + step) / (10.0 + step))
        expected = decay * expected + (1 - decay) * value
    assert found == [value]
    np.testing.assert_allclose(average, [expected], rtol=1e-6)  # TensorFlow's decay is a float32


def test_one_tower_computes_what_a_synchronous_step_does():
    """With dense and sparse gradients, momentum and clipping, 20 steps are bit-equal."""
    results = []
    for asynchronous in (True, False):
        with tf.Graph().as_default():
            with tf.variable_scope("", use_resource=True):
                table = tf.get_variable("table", initializer=np.linspace(-1, 1, 40).astype(np.float32).reshape(8, 5))
                w = tf.get_variable("w", initializer=np.linspace(-1, 2, 15).astype(np.float32).reshape(5, 3))
            step = global_step()
            picked = tf.gather(table, tf.cast([step % 8, (3 * step) % 8], tf.int32))
            loss = tf.reduce_sum(tf.tanh(tf.matmul(picked, w)) ** 2)
            optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
            reduction = reductions.chain(reductions.mean(), reductions.clip_by_global_norm(0.5))
            if asynchronous:
                train_op = updates_of([loss], optimizer, reduction).train_ops[0]
            else:
                reduced = reduce_gradients([optimizer.compute_gradients(loss)], reduction, ["/cpu:0"])
                train_op = apply_reduced(optimizer, reduced, step)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for _ in range(20):
                    session.run(train_op)
                results.append([value.tobytes() for value in session.run([table, w, step])])
    assert results[0] == results[1]


def test_several_objectives_are_applied_in_one_update():
    one, two = variable("one", [1]), variable("two", [1])
    optimizers = [tf.train.GradientDescentOptimizer(RATE), tf.train.GradientDescentOptimizer(2 * RATE)]
    updates = []
    for tower in range(2):
        pairs = []
        for optimizer, of_part in zip(optimizers, (one, two)):
            gradients = [optimizer.compute_gradients(tf.reduce_sum(of_part), [of_part])]
            pairs.append((optimizer, reduce_gradients(gradients, reductions.mean(), ["/cpu:0"])))
        updates.append(TowerUpdate(tower, pairs))
    made = asynchronous_updates(updates, global_step(), "/cpu:0")
    (first, second, step), counts = race(made, 50, [one, two, global_step()])
    assert step == sum(counts)
    assert (first.tolist(), second.tolist()) == ([-RATE * step], [-2 * RATE * step])


def test_each_tower_accumulates_its_own_gradients():
    w = variable("w", [1])
    made = updates_of(
        [tf.reduce_sum(w) * slope for slope in (1.0, 8.0)],
        tf.train.GradientDescentOptimizer(RATE),
        reductions.chain(reductions.mean(), reductions.accumulate(4)),
    )
    (found, step), counts = race(made, 42, [w, global_step()])
    assert step == sum(counts)
    # The mean of four equal gradients, applied once in four updates.
    assert found.tolist() == [-RATE * (counts[0] // 4 * 1.0 + counts[1] // 4 * 8.0)]


def test_update_ops_run_with_their_own_tower():
    w, seen = variable("w", [1]), variable("seen", [3])
    optimizer = tf.train.GradientDescentOptimizer(RATE)
    updates = []
    for tower in range(3):
        reduced = reduce_gradients(
            [optimizer.compute_gradients(tf.reduce_sum(w), [w])], reductions.mean(), ["/cpu:0"]
        )
        update_op = tf.assign_add(seen, np.eye(3)[tower])
        updates.append(TowerUpdate(tower, [(optimizer, reduced)], [update_op]))
    made = asynchronous_updates(updates, global_step(), "/cpu:0")
    found, counts = race(made, 40, seen)
    assert found.tolist() == counts


def test_staleness_counts_the_updates_in_between():
    """Tower 1 reads, waits until tower 0 has made five updates, and applies."""
    w = variable("w", [1])
    reads, go_on = threading.Event(), threading.Event()

    def wait(value):
        reads.set()
        assert go_on.wait(60)
        return value

    slow = tf.py_func(wait, [w.read_value()], tf.float64)
    slow.set_shape([1])
    made = updates_of(
        [tf.reduce_sum(w), tf.reduce_sum(w * tf.stop_gradient(slow))], tf.train.GradientDescentOptimizer(RATE)
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        late = []
        thread = threading.Thread(target=lambda: late.append(session.run([made.train_ops[1], made.staleness[1]])[1]))
        thread.start()
        assert reads.wait(60)
        for _ in range(5):
            assert session.run([made.train_ops[0], made.staleness[0]])[1] == 0
        go_on.set()
        thread.join(60)
        assert late == [5]
        # It applied the gradient of the variable before these five updates, which is the 0 that it read.
        assert session.run([w, global_step()]) == [[-5 * RATE], 6]


def model_that_reads_in_all_ways():
    with tf.variable_scope("", use_resource=True):
        table = tf.get_variable("table", [8, 3], partitioner=lambda shape, dtype: [2, 1])
        w = tf.get_variable("w", [3, 3])
        b = tf.get_variable("b", [3])
    hidden = tf.nn.embedding_lookup(table, [1, 5]) + tf.reduce_sum(table)
    hidden = tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), [0, hidden])[1]
    return tf.reduce_sum(tf.cond(tf.reduce_sum(hidden) > 0, lambda: hidden + b, lambda: hidden - b))


def test_the_step_is_read_before_any_variable():
    from legacy_towers.graph.walk import ancestors

    optimizer = tf.train.GradientDescentOptimizer(RATE)
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        losses = [model_that_reads_in_all_ways() for _ in range(2)]
    made = updates_of(losses, optimizer)
    for tower in range(2):
        began = tf.get_default_graph().get_operation_by_name("asynchronous/tower_{}/began_at_step".format(tower))
        readers = [
            operation for operation in ancestors(tf.gradients(losses[tower], tf.trainable_variables()))
            if any(tensor.op.type == "VarHandleOp" for tensor in operation.inputs)
        ]
        own = [reader for reader in readers if reader in ancestors(losses[tower]) - ancestors(began)]
        assert len(own) > 4
        assert [reader.name for reader in own if began not in reader.control_inputs] == []
    values, counts = race(made, 20, global_step())
    assert values == sum(counts)


def test_ref_variables_are_refused():
    tf.get_variable("w", initializer=1.0, use_resource=False)
    with pytest.raises(ArgumentError, match="the variable 'w' is a ref variable .* use_resource=True"):
        updates_of([tf.trainable_variables()[0] * 2.0], tf.train.GradientDescentOptimizer(RATE))


def test_a_run_that_fails_unlocks_the_mutex():
    w = variable("w", [1])
    bad = tf.placeholder_with_default(False, [])
    checked = tf.Assert(tf.logical_not(bad), ["a bad batch"])
    with tf.control_dependencies([checked]):
        loss = tf.reduce_sum(w * 1.0)

    class FailsAtWriting(tf.train.GradientDescentOptimizer):
        def apply_gradients(self, pairs, global_step=None, name=None):
            with tf.control_dependencies([tf.Assert(tf.logical_not(bad), ["a bad write"])]):
                return super(FailsAtWriting, self).apply_gradients(pairs, global_step, name)

    made = updates_of([loss, tf.reduce_sum(w)], FailsAtWriting(RATE))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for train_op in made.train_ops:
            for _ in range(3):
                with pytest.raises(tf.errors.InvalidArgumentError, match="a bad"):
                    session.run(train_op, {bad: True})
            session.run(train_op)
        assert session.run(global_step()) == 2
