"""Towers whose gradients are fed, dense and sparse, so that tests can compute with them in numpy."""
import numpy as np

from legacy_towers.compat import tf
from legacy_towers.gradients import reduce_gradients
from legacy_towers.update import apply_reduced

RATE = 0.125  # exact in float32, the dtype of learning rates
SHAPES = {"w": (2, 3), "table": (5, 2)}


class FedTowers:
    """Gradients of the variables w (dense), table (sparse) and idle (none), on as many CPUs as there are towers.

    A step's gradients are given as one dict per tower: {"w": array, "table": (rows, indices)}.
    """

    def __init__(self, towers, dtype=np.float64, kind="resource"):
        self.devices = ["/cpu:{}".format(index) for index in range(towers)]
        with tf.variable_scope(tf.get_variable_scope(), use_resource=kind == "resource"):
            self.w = tf.get_variable("w", initializer=np.arange(6, dtype=dtype).reshape(2, 3))
            self.table = tf.get_variable("table", initializer=np.arange(10, dtype=dtype).reshape(5, 2))
            self.idle = tf.get_variable("idle", initializer=np.ones(2, dtype))
            self.global_step = tf.train.get_or_create_global_step()
        self.variables = [self.w, self.table, self.idle]
        self.tower_grads, self._placeholders = [], []
        for device in self.devices:
            with tf.device(device):
                dense = tf.placeholder(dtype, SHAPES["w"])
                rows, indices = tf.placeholder(dtype, [None, 2]), tf.placeholder(tf.int64, [None])
                slices = tf.IndexedSlices(rows, indices, tf.constant(SHAPES["table"], tf.int64))
                self.tower_grads.append([(dense, self.w), (slices, self.table), (None, self.idle)])
                self._placeholders.append((dense, rows, indices))

    def reduce(self, reduction, weights=None):
        """Returns `reduce_gradients` of the towers' gradients."""
        return reduce_gradients(self.tower_grads, reduction, self.devices, weights, self.global_step)

    def feed(self, step, more=None):
        feed = dict(more or {})
        for (dense, rows, indices), of_tower in zip(self._placeholders, step):
            feed.update({dense: of_tower["w"], rows: of_tower["table"][0], indices: of_tower["table"][1]})
        return feed

    def trajectory(self, reduced, steps, feeds=None):
        """Applies each step's gradients by gradient descent, and returns [w, table, idle] after each."""
        train_op = apply_reduced(tf.train.GradientDescentOptimizer(RATE), reduced, self.global_step)
        history = []
        with session() as running:
            for number, step in enumerate(steps):
                running.run(train_op, self.feed(step, feeds[number] if feeds else None))
                history.append(running.run(self.variables))
                assert running.run(self.global_step) == number + 1
        return history


def random_steps(seed, steps, towers, dtype=np.float64, rows=4):
    """Returns the gradients of several steps; sparse ones have at most 3 indices, some of them repeated."""
    rng = np.random.RandomState(seed)
    return [
        [
            {
                "w": rng.normal(size=SHAPES["w"]).astype(dtype),
                "table": (rng.normal(size=(rows, 2)).astype(dtype), rng.randint(3, size=rows)),
            }
            for _ in range(towers)
        ]
        for _ in range(steps)
    ]


def dense(of_tower):
    """Returns a tower's gradients as dense arrays, with repeated rows summed."""
    rows, indices = of_tower["table"]
    table = np.zeros(SHAPES["table"], rows.dtype)
    np.add.at(table, indices, rows)
    return {"w": of_tower["w"], "table": table}


def mean(step):
    """Returns the mean of the towers' gradients of a step, dense."""
    towers = [dense(of_tower) for of_tower in step]
    return {name: np.mean([of_tower[name] for of_tower in towers], axis=0) for name in SHAPES}


def descended(gradients, dtype=np.float64):
    """Returns [w, table, idle] after each step of gradient descent; None is a step that applies nothing."""
    w, table = np.arange(6, dtype=dtype).reshape(2, 3), np.arange(10, dtype=dtype).reshape(5, 2)
    history = []
    for gradient in gradients:
        if gradient is not None:
            w, table = w - RATE * gradient["w"], table - RATE * gradient["table"]
        history.append([w, table, np.ones(2)])
    return history


def assert_same(found, expected, rtol=1e-12):
    assert len(found) == len(expected)
    for number, (one, other) in enumerate(zip(found, expected)):
        for name, a, b in zip(("w", "table", "idle"), one, other):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol, err_msg="{} after step {}".format(name, number + 1))


def session(cpus=4):
    running = tf.Session(config=tf.ConfigProto(device_count={"CPU": cpus}))
    running.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    return running


def dense_results(reduced):
    """Returns fetches: the gradients of each row that has any, as dense tensors."""
    return [
        [tf.convert_to_tensor(gradient) for gradient in row.gradients]
        for row in reduced.rows
        if row.gradients[0] is not None
    ]
