"""Training runs that are the same on every TensorFlow, for comparing recorded values between versions.

`python tests/reference/record.py` writes the results of the TensorFlow that runs it; test_versions.py compares.
"""
import nets
import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf

KINDS = ("dense", "conv", "embedding")
TOWERS = 4
STEPS = 50
# Steps of the float32 run whose initial values are recorded, so that each can be restarted.
SNAPSHOTS = {"dense": 12, "conv": 2, "embedding": 12}
# The checkpoint is written after this many steps.
CHECKPOINT_STEP = 3


def name():
    """Returns the name of this TensorFlow's folder of recorded results, for example "tf115"."""
    return "tf" + "".join(tf.__version__.split(".")[:2])


def train_step(model_fn, arrays, optimizer, batch_size=16, towers=TOWERS, **arguments):
    """Returns the train step of a net that is fed `arrays` in order, epoch after epoch."""
    source = lt.inputs.feed(lt.Examples.from_arrays(arrays), global_batch_size=batch_size, order="fixed", epochs=None)
    return lt.build_train_step(model_fn, source, optimizer, lt.devices.cpus(towers), **arguments)


def momentum():
    return tf.train.MomentumOptimizer(0.1, 0.9)


def trajectory(kind, dtype, snapshots=0):
    """Trains a net for 50 steps.

    Returns:
      {"losses": [50], "final": all variables at the end, slots included, in one row}; with snapshots=n, instead of
      "final", {"before": n such rows, one before each of the first n steps}.
    """
    with tf.Graph().as_default():
        step = train_step(nets.model(kind, dtype), nets.examples(kind, 96, dtype), momentum())
        variables = stored_variables()
        before = []
        losses = []
        with tf.Session(config=nets.config(TOWERS)) as session, step.running(session) as run:
            for index in range(STEPS):
                if index < snapshots:
                    before.append(flat(session.run(variables)))
                losses.append(run(step.loss))
            if snapshots:
                return {"losses": np.array(losses), "before": np.array(before)}
            return {"losses": np.array(losses), "final": flat(session.run(variables))}


def stored_variables():
    """Returns the variables of a row of values, in its order."""
    return sorted((v for v in tf.global_variables() if v.dtype.base_dtype.is_floating), key=lambda v: v.op.name)


def flat(values):
    return np.concatenate([value.ravel() for value in values])


def restarted(kind, before):
    """Takes steps 0, 1, ... of the float32 run, each from the given values before it.

    Args:
      before: a row of values per step, from `trajectory`.

    Returns:
      The loss of each step, and the row of values after it.
    """
    arrays = nets.examples(kind, 96, np.float32)
    losses, after = [], []
    with tf.Graph().as_default():
        placeholders = [
            {key: tf.placeholder(value.dtype, [4] + list(value.shape[1:])) for key, value in arrays.items()}
            for _ in range(TOWERS)
        ]
        step = lt.build_train_step(
            nets.model(kind, np.float32), lt.inputs.from_tensors(placeholders), momentum(), lt.devices.cpus(TOWERS)
        )
        variables = stored_variables()
        row = tf.placeholder(tf.float32, [sum(v.shape.num_elements() for v in variables)])
        values = tf.split(row, [v.shape.num_elements() for v in variables])
        assign = tf.group(*[tf.assign(v, tf.reshape(value, v.shape)) for v, value in zip(variables, values)])
        with tf.Session(config=nets.config(TOWERS)) as session:
            session.run(tf.global_variables_initializer())
            for index in range(len(before)):
                session.run(assign, {row: before[index]})
                rows = np.arange(index * 16, index * 16 + 16) % 96
                feed = {
                    placeholder: arrays[key][rows[tower * 4 : tower * 4 + 4]]
                    for tower, of_tower in enumerate(placeholders)
                    for key, placeholder in of_tower.items()
                }
                losses.append(session.run([step.loss, step.train_op], feed)[0])
                after.append(flat(session.run(variables)))
    return np.array(losses), np.array(after)


def first_parting(ours, theirs, bound=1e-6):
    """Returns the first step at which two trajectories differ by more than `bound` of the loss, or None."""
    differs = np.abs(ours - theirs) > bound * np.abs(theirs)
    return int(np.argmax(differs)) if differs.any() else None


def normalized_model(batch, mode):
    """A net with tf.layers' batch norm; its checkpoint has the variables of typical ones."""

    def start(size):
        return tf.constant_initializer(np.linspace(-0.7, 0.7, size).astype(np.float32))

    training = mode == lt.TRAIN
    # No bias before a batch norm: its gradient is rounding only, which Adam would amplify.
    hidden = tf.layers.dense(batch["x"], 8, use_bias=False, kernel_initializer=start(12 * 8), name="hidden")
    hidden = tf.layers.batch_normalization(hidden, training=training, momentum=0.8, fused=False, name="norm")
    logits = tf.layers.dense(tf.nn.relu(hidden), nets.CLASSES, kernel_initializer=start(8 * 5), name="logits")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch["y"], logits=logits))
    return lt.TowerOutput(loss=loss, predictions=logits)


OPTIMIZERS = {
    "adam": lambda: tf.train.AdamOptimizer(0.01),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
}


def normalized_arrays():
    return nets.examples("dense", 96, np.float32)


def normalized_step(optimizer, batch_size=16, **arguments):
    return train_step(
        normalized_model, normalized_arrays(), OPTIMIZERS[optimizer](), batch_size,
        update_ops="mean", moving_average_decay=0.9, **arguments
    )


def write_checkpoint(prefix, optimizer, **arguments):
    """Trains the net with batch norm for 3 steps and saves it; returns the prefix of the checkpoint."""
    with tf.Graph().as_default():
        step = normalized_step(optimizer, **arguments)
        saver = tf.train.Saver()
        with tf.Session(config=nets.config(TOWERS)) as session, step.running(session) as run:
            for _ in range(CHECKPOINT_STEP):
                run()
            return saver.save(session, prefix, write_meta_graph=False, write_state=False)


def step_from_checkpoint(prefix, optimizer, **arguments):
    """Restores a checkpoint and runs the step over the first examples.

    Returns:
      {"loss": its loss, "<variable>": its value after the step, ...}, with slots, averages and statistics.
    """
    with tf.Graph().as_default():
        step = normalized_step(optimizer, **arguments)
        saver = tf.train.Saver()
        with tf.Session(config=nets.config(TOWERS)) as session:
            saver.restore(session, prefix)
            with step.running(session) as run:
                loss = run(step.loss)
            return dict(session.run({v.op.name: v for v in tf.global_variables()}), loss=loss)
