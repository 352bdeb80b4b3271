"""A small model whose variables tell the global step, for the tests of checkpoints."""
import os

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.checkpoints.store import CheckpointStore


class Model:
    """Variables in a graph of their own; after `steps(n)` each element of each is the global step."""

    def __init__(self, size=100, directory=None, **options):
        self.graph = tf.Graph()
        with self.graph.as_default():
            parts = tf.fixed_size_partitioner(3)
            self.w = tf.get_variable("w", [size], initializer=tf.zeros_initializer())
            cut = tf.get_variable("cut", [9, 2], initializer=tf.zeros_initializer(), partitioner=parts)
            self.step = tf.train.get_or_create_global_step()
            one = [each.assign_add(tf.ones(each.shape)) for each in [self.w] + list(cut)]
            with tf.control_dependencies(one):
                self.train_op = tf.assign_add(self.step, 1)
            self.initializer = tf.global_variables_initializer()
        self.session = tf.Session(graph=self.graph)
        self.session.run(self.initializer)
        self.store = None if directory is None else CheckpointStore(directory, CheckpointOptions(**options))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.store is not None:
            self.store.close()
        self.session.close()

    def run(self, steps=1):
        for _ in range(steps):
            step = int(self.session.run(self.train_op))
        return step

    def save(self, steps=1):
        """Runs steps and saves; returns the prefix."""
        return self.store.save(self.session, self.run(steps))

    def saver(self):
        with self.graph.as_default():
            return tf.train.Saver()


def save_several(directory, count, **options):
    """Saves checkpoints of steps 1 to `count`; returns the prefix of the last."""
    with Model(directory=directory, **options) as model:
        for _ in range(count):
            prefix = model.save()
    return prefix


def step_restored(prefix):
    """Returns the step of a checkpoint; all of its variables, restored by a plain tf.train.Saver, must tell it."""
    with Model(tf.train.NewCheckpointReader(prefix).get_variable_to_shape_map()["w"][0]) as model:
        model.saver().restore(model.session, prefix)
        step = int(model.session.run(model.step))
        with model.graph.as_default():
            for variable in tf.global_variables():
                np.testing.assert_array_equal(model.session.run(variable), step, variable.op.name)
    return step


def litter(directory):
    """Returns the names in a directory that are neither a complete checkpoint's nor files of a run."""
    names = set(os.listdir(directory)) - {"checkpoint", "graph.pbtxt", "best_checkpoint.json"}
    for name in [name[: -len(".index")] for name in names if name.endswith(".index")]:
        names -= {name + end for end in (".index", ".meta", ".manifest", ".data-00000-of-00001")}
    return sorted(names)
