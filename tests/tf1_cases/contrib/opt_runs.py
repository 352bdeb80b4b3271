"""Runs of the optimizers of tf.contrib.opt whose results must equal those of TensorFlow 1.15.

To record TensorFlow's own again, on TensorFlow 1.15, from the folder tests/:

    python -m tf1_cases.contrib.opt_runs
"""
import os
import sys

import numpy as np
from tf1_cases import recorded_cases

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


def _shampoo(opt, step):
    return opt.ShampooOptimizer(step, 4, gbar_decay=0.5, mat_gbar_decay=0.9, learning_rate=lambda t: 0.1 / t)


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
    "Shampoo": lambda opt, step: opt.ShampooOptimizer(step, 4, learning_rate=0.1),
    "ShampooLater": lambda opt, step: opt.ShampooOptimizer(step, learning_rate=0.05, svd_interval=2),
    "ShampooMomentum": _shampoo,
    "VariableClipping": _clipped,
    "WeightDecay": _decayed_some,
}
# On TensorFlow 1.15 sparse gradients of these fail, for all variables or for one kind.
DENSE_ALONE = {"AddSign", "LARS", "PowerSign"}
# On TensorFlow 1.15 a gradient may read a variable before or after its decay: the losses of these are linear.
RACING = {"AdamW", "MomentumW", "WeightDecay"}
# On TensorFlow 1.15 with resource variables, preconditioners are those of the previous step.
REF_ALONE = {"Shampoo", "ShampooLater", "ShampooMomentum"}


def run(opt, name, use_resource):
    """Returns name -> value of all variables after `STEPS` steps."""
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


def averaged(opt, name, steps=5):
    """Returns name -> value of all variables of a single worker after `steps` steps."""
    with tf.Graph().as_default():
        getter = getattr(opt, name + "CustomGetter")("/cpu:0")
        step = tf.train.get_or_create_global_step()
        with tf.variable_scope("", custom_getter=getter):
            weight = tf.get_variable("weight", initializer=recorded_cases.values([3, 2], "weight"))
            bias = tf.get_variable("bias", initializer=recorded_cases.values([2], "bias"))
        loss = tf.reduce_sum(tf.square(tf.matmul(tf.ones([4, 3]), weight) + bias - 1.0))
        inner = tf.train.GradientDescentOptimizer(0.02)
        if name == "ModelAverage":
            made = opt.ModelAverageOptimizer(inner, 1, True, getter, interval_steps=2)
            hooks = [made.make_session_run_hook()]
        else:
            made = opt.ElasticAverageOptimizer(inner, 1, getter, communication_period=2, moving_rate=0.3)
            hooks = [made.make_session_run_hook(True, 0)]
        train = made.minimize(loss, global_step=step)
        variables = tf.global_variables() + tf.local_variables()
        with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
            for _ in range(steps):
                session.run(train)
            return dict(zip([variable.op.name for variable in variables], session.run(variables)))


def recorded(name, use_resource):
    prefix = "{}:{}:".format(name, int(use_resource))
    with np.load(REFERENCE, allow_pickle=False) as file:
        return {key[len(prefix) :]: file[key] for key in file.files if key.startswith(prefix)}


def main():
    import tensorflow

    kept = {}
    for name in ("ElasticAverage", "ModelAverage"):
        for key, value in averaged(tensorflow.contrib.opt, name).items():
            kept["{}:0:{}".format(name, key)] = value
    for name in OPTIMIZERS:
        for use_resource in (False,) if name in REF_ALONE else (False, True):
            print(name, use_resource, flush=True)
            for key, value in run(tensorflow.contrib.opt, name, use_resource).items():
                kept["{}:{}:{}".format(name, int(use_resource), key)] = value
    np.savez_compressed(REFERENCE, **kept)


if __name__ == "__main__":
    sys.exit(main())
