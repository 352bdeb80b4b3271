"""LT609: tf.estimator.inputs.numpy_input_fn."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT609",
    names=(
        "tf.estimator.inputs.numpy_input_fn",
        "tf.estimator.inputs.pandas_input_fn",
        "tf.contrib.learn.numpy_input_fn",
        "tf.contrib.learn.pandas_input_fn",
        "tf.contrib.learn.generator_input_fn",
    ),
    becomes=(
        "an input_fn that returns Dataset.from_tensor_slices((x, y)), with shuffle, repeat(num_epochs) and "
        "batch(batch_size)"
    ),
    explanation="""
An `input_fn` of arrays or data frames, whose examples threads feed into a queue. An Estimator takes an `input_fn`
that returns a dataset. `shuffle=True` is `shuffle(len(x))`; a data frame is a dict of its columns.
""",
    limits="""
It is never rewritten: the arrays are known when the program runs. The dataset keeps them as constants of the graph,
which holds 2 GB at most; larger ones need `Dataset.from_generator`.
""",
    example=Example(
        before="""
import numpy as np

input_fn = tf.estimator.inputs.numpy_input_fn(
    {"x": np.arange(5)}, np.arange(5) * 10, batch_size=2, num_epochs=1, shuffle=False)
features, label = input_fn()
batch = [features["x"], label]
""",
        after="""
import numpy as np


def input_fn():
    dataset = tf.data.Dataset.from_tensor_slices(({"x": np.arange(5)}, np.arange(5) * 10)).batch(2)
    return tf.data.make_one_shot_iterator(dataset).get_next()


features, label = input_fn()
batch = [features["x"], label]
""",
        same=SAME_SEQUENCE,
    ),
))
