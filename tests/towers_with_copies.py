"""Small models on towers that each have a copy of the variables."""
import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.towers import TowerOutput, replicate
from legacy_towers.variables import LocalSGD, Replicated

KINDS = ["resource", "ref"]
STRATEGIES = [Replicated(), LocalSGD(2)]


def build(model_fn, strategy=None, towers=3, kind="resource", devices=None, **options):
    devices = devices or ["/cpu:{}".format(index) for index in range(towers)]
    batches = [tf.constant(np.full([2, 3], index + 1.0), tf.float32) for index in range(len(devices))]
    return replicate(model_fn, batches, devices, strategy or Replicated(), use_resource=kind == "resource", **options)


def names(variables):
    return [str(variable.op.name) for variable in variables]


def initialized(towers=3):
    session = tf.Session(config=lt.session_config(logical_cpus=towers))
    session.run(tf.global_variables_initializer())
    session.run(tf.local_variables_initializer())
    return session


def scalar(name, **options):
    return tf.get_variable(name, [], initializer=tf.random_normal_initializer(), **options)


def plain(batch, mode):
    return TowerOutput(loss=scalar("w") * tf.reduce_sum(batch))
