"""A tf.estimator script of 2019 under a strategy over the workers of TF_CONFIG; prints a line of JSON per step.

Arguments: the strategy, "collective" or "ps", and the folder of the model.
"""
import json
import os
import sys

import numpy as np
import tensorflow as tf

KIND, FOLDER = sys.argv[1:]
ROWS = np.arange(16.0).reshape(16, 1) / 8
STEPS = 6


def input_fn(input_context=None):
    dataset = tf.data.Dataset.from_tensor_slices((ROWS, 3 * ROWS[:, 0] + 1))
    if input_context is not None:
        dataset = dataset.shard(input_context.num_input_pipelines, input_context.input_pipeline_id)
    return dataset.repeat().batch(4)


class Report(tf.train.SessionRunHook):
    def __init__(self, **tensors):
        self.tensors = tensors

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.tensors)

    def after_run(self, run_context, run_values):
        print(json.dumps({name: np.asarray(value).tolist() for name, value in run_values.results.items()}))


def model_fn(features, labels, mode, config):
    print(json.dumps({"task": [config.task_type, config.task_id, config.is_chief, config.num_worker_replicas,
                               config.num_ps_replicas, config.global_id_in_cluster]}))
    weight = tf.get_variable("weight", [1], tf.float64, tf.zeros_initializer())
    bias = tf.get_variable("bias", [1], tf.float64, tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(features[:, 0] * weight + bias - labels))
    train_op = tf.train.MomentumOptimizer(0.125, 0.5).minimize(loss, tf.train.get_global_step())
    hooks = [Report(loss=loss, rows=features[:, 0])]
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, training_hooks=hooks)


if KIND == "collective":
    strategy = tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=0)
    options = {"experimental_distribute": tf.contrib.distribute.DistributeConfig(train_distribute=strategy)}
else:
    options = {"train_distribute": tf.distribute.experimental.ParameterServerStrategy()}
config = tf.estimator.RunConfig(FOLDER, save_checkpoints_steps=100, **options)
estimator = tf.estimator.Estimator(model_fn, config=config)
try:
    estimator.train(input_fn, max_steps=STEPS)
except ValueError as error:
    print(json.dumps({"refused": str(error)}))
result = tf.estimator.train_and_evaluate(
    estimator, tf.estimator.TrainSpec(input_fn, max_steps=STEPS), tf.estimator.EvalSpec(input_fn)
)
print(json.dumps({"result": result, "files": sorted(os.listdir(FOLDER))}))
