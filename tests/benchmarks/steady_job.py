"""A job whose step is mostly compute and whose input is cheap, for measuring the cost of input pipelines.

    legacy-towers compare tests/benchmarks/steady_job.py --towers 4

On 2 cores a step of 4 towers takes 20 to 50 ms; its input is 16 rows of 512 numbers per tower.
"""
import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf


@lt.job
def steady(width=512, layers=24, rows=16, count=2048, generator=False):
    """Returns the job: `layers` dense layers of `width` units."""
    random = np.random.RandomState(0)
    arrays = {"x": random.randn(count, width).astype(np.float32), "y": random.randn(count).astype(np.float32)}

    def model_fn(batch, mode):
        net = batch["x"]
        for number in range(layers):
            initializer = tf.random_normal_initializer(stddev=width ** -0.5, seed=number)
            weights = tf.get_variable("weights_{}".format(number), [width, width], initializer=initializer)
            net = tf.nn.relu(tf.matmul(net, weights))
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.reduce_mean(net, axis=1) - batch["y"])))

    def rows_of_arrays():
        for row in range(count):
            yield {"x": arrays["x"][row], "y": arrays["y"][row]}

    if generator:
        spec = {"x": tf.TensorSpec([width], tf.float32), "y": tf.TensorSpec([], tf.float32)}
        examples = lt.Examples.from_generator(rows_of_arrays, spec, count=count)
    else:
        examples = lt.Examples.from_arrays(arrays)
    return lt.Job(
        model_fn,
        train=examples,
        optimizer=lambda step: tf.train.MomentumOptimizer(1e-3, 0.9),
        per_tower_batch_size=rows,
    )
