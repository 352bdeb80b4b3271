"""Runs of the optimizers of tf.contrib.opt that TensorFlow 1.15 and we must agree in.

To record again what the real ones do, on TensorFlow 1.15, from the folder tests/:

    python -m oldtf.contrib.opt_runs
"""
import os
import sys

import numpy as np
from oldtf import recorded_cases

from legacy_towers.compat import tf

REFERENCE = os.path.join(recorded_cases.FOLDER, "contrib_opt.npz")
STEPS = 3


def _moving_average(opt, step):
    return opt.MovingAverageOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), 0.9)


def _multitask(opt, step):
    return opt.MultitaskOptimizerWrapper(tf.train.AdamOptimizer(0.1))


def _decayed_some(opt, step):
    return opt.extend_with_decoupled_weight_decay(tf.train.RMSPropOptimizer)(0.01, learning_rate=0.1)


def _clipped(opt, step):
    variables = {variable.op.name: variable for variable in tf.trainable_variables()}
    axes = {variables["dense"]: [0], variables["rows"]: [1]}
    return opt.VariableClippingOptimizer(tf.train.GradientDescentOptimizer(0.5), axes, 0.4)


OPTIMIZERS = {
    "AdaMax": lambda opt, step: opt.AdaMaxOptimizer(0.1),
    "AdamGS": lambda opt, step: opt.AdamGSOptimizer(step, 0.1),
    "AdamW": lambda opt, step: opt.AdamWOptimizer(0.01, 0.1),
    "AddSign": lambda opt, step: opt.AddSignOptimizer(0.1),
    "DropStale": lambda opt, step: opt.DropStaleGradientOptimizer(tf.train.GradientDescentOptimizer(0.1), 1),
    "LARS": lambda opt, step: opt.LARSOptimizer(0.5, skip_list=["rows"]),
    "LazyAdam": lambda opt, step: opt.LazyAdamOptimizer(0.1),
    "LazyAdamGS": lambda opt, step: opt.LazyAdamGSOptimizer(step, 0.1),
    "MomentumW": lambda opt, step: opt.MomentumWOptimizer(0.01, 0.1, 0.9, use_nesterov=True),
    "MovingAverage": _moving_average,
    "Multitask": _multitask,
    "Nadam": lambda opt, step: opt.NadamOptimizer(0.1),
    "PowerSign": lambda opt, step: opt.PowerSignOptimizer(0.1),
    "RegAdagrad": lambda opt, step: opt.RegAdagradOptimizer(0.1),
    "VariableClipping": _clipped,
    "WeightDecay": _decayed_some,
}
# Sparse gradients of these fail on TensorFlow 1.15 itself, or on one kind of variables.
DENSE_ALONE = {"AddSign", "LARS", "PowerSign"}
# On TensorFlow 1.15 a gradient may see a variable before or after its decay: these have gradients that don't see any.
RACING = {"AdamW", "MomentumW", "WeightDecay"}


def run(opt, name, use_resource):
    """Returns name -> value of all variables after some steps, and the norm of clipped gradients."""
    with tf.Graph().as_default(), tf.variable_scope("", use_resource=use_resource):
        step = tf.train.get_or_create_global_step()
        dense = tf.get_variable("dense", initializer=recorded_cases.values([3, 2], "dense"))
        rows = tf.get_variable("rows", initializer=recorded_cases.values([5, 3], "rows"))
        still = tf.get_variable("still", initializer=recorded_cases.values([2], "still"))
        number = tf.cast(step, tf.int32)
        picked = rows if name in DENSE_ALONE else tf.nn.embedding_lookup(rows, [1, 3, 1, number])
        product = tf.matmul(picked, dense) - 0.5
        loss = tf.reduce_sum(tf.square(product)) + tf.reduce_sum(still * 0.0)
        if name in RACING:
            loss = tf.reduce_sum(picked * [0.5, 1.0, -2.0]) + tf.reduce_sum(dense * [1.0, -3.0])
        train = OPTIMIZERS[name](opt, step).minimize(loss, global_step=step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(STEPS):
                session.run(train)
            variables = tf.global_variables()
            return dict(zip([variable.op.name for variable in variables], session.run(variables)))


def recorded(name, use_resource):
    prefix = "{}:{}:".format(name, int(use_resource))
    with np.load(REFERENCE) as file:
        return {key[len(prefix) :]: file[key] for key in file.files if key.startswith(prefix)}


def main():
    import tensorflow

    kept = {}
    for name in OPTIMIZERS:
        for use_resource in (False, True):
            print(name, use_resource, flush=True)
            for key, value in run(tensorflow.contrib.opt, name, use_resource).items():
                kept["{}:{}:{}".format(name, int(use_resource), key)] = value
    np.savez_compressed(REFERENCE, **kept)


if __name__ == "__main__":
    sys.exit(main())
