"""Runs of the Estimators of tf.contrib.gan whose results must equal those of TensorFlow 1.14.

To record the reference file again, on TensorFlow 1.14, from the folder tests/:

    python -m tf1_cases.contrib.gan_estimator_runs
"""
import os
import sys
import tempfile

import numpy as np
from tf1_cases.recorded_cases import FOLDER, values

REFERENCE = os.path.join(FOLDER, "contrib_gan_estimator.npz")
BATCH, NOISE, DATA = 4, 3, 5
STEPS = 3


def generator(tf):
    def generator_fn(noise, mode):
        assert mode in (tf.estimator.ModeKeys.TRAIN, tf.estimator.ModeKeys.EVAL, tf.estimator.ModeKeys.PREDICT)
        return tf.layers.dense(tf.layers.dense(noise, 6, activation=tf.nn.tanh, name="hidden"), DATA, name="out")

    return generator_fn


def discriminator(tf):
    def discriminator_fn(data, unused_conditioning):
        return tf.layers.dense(tf.layers.dense(data, 6, activation=tf.nn.tanh, name="hidden"), 1, name="score")

    return discriminator_fn


def inputs(tf, name="sequential"):
    """An input_fn: batches of (noise, data), or of data and domain labels for StarGAN, the same in each run."""

    def input_fn():
        pairs = (values([64, NOISE], "noise"), values([64, DATA], "data"))
        if name == "stargan":  # with one domain the target, which is drawn at random, is known
            pairs = (values([64, DATA], "data"), np.ones([64, 1], np.float32))
        dataset = tf.data.Dataset.from_tensor_slices(pairs).repeat().batch(BATCH, drop_remainder=True)
        return dataset.map(lambda data, labels: ((data,), (labels,))) if name == "stargan" else dataset

    return input_fn


def make(tf, name, folder, strategy=None):
    """Returns the Estimator `name`: with the hooks of 10 and 1 steps, with a GANHead, or a StarGANEstimator."""
    gan = tf.contrib.gan
    session = tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
    session.graph_options.rewrite_options.disable_meta_optimizer = True
    config = tf.estimator.RunConfig(
        train_distribute=strategy, session_config=session, save_checkpoints_steps=STEPS, log_step_count_steps=None
    )
    trained = dict(
        generator_optimizer=lambda: tf.train.AdamOptimizer(0.01),
        discriminator_optimizer=tf.train.RMSPropOptimizer(0.01),
        get_hooks_fn=gan.get_sequential_train_hooks(gan.GANTrainSteps(10, 1)),
        get_eval_metric_ops_fn=lambda model: {"own": tf.metrics.mean(model.generated_data)},
    )
    if name == "stargan":
        return gan.estimator.StarGANEstimator(
            folder, generator_fn=star_generator(tf), discriminator_fn=star_discriminator(tf), loss_fn=gan.stargan_loss,
            config=config, **dict(trained, get_eval_metric_ops_fn=None)
        )
    losses = dict(
        generator_loss_fn=gan.losses.modified_generator_loss,
        discriminator_loss_fn=gan.losses.modified_discriminator_loss,
    )
    if name == "head":
        trained["generator_optimizer"] = tf.train.AdamOptimizer(0.01)

        def model_fn(features, labels, mode):
            if mode == tf.estimator.ModeKeys.PREDICT:
                labels = tf.zeros([1, DATA])
            model = gan.gan_model(
                lambda noise: generator(tf)(noise, mode), discriminator(tf), labels, features, check_shapes=False
            )
            head = gan.estimator.gan_head(**dict(losses, **trained))
            return head.create_estimator_spec(None, mode, model)

        return tf.estimator.Estimator(model_fn, folder, config)
    return gan.estimator.GANEstimator(
        folder, generator_fn=generator(tf), discriminator_fn=discriminator(tf), config=config, **dict(losses, **trained)
    )


def star_generator(tf):
    def generator_fn(data, domains):
        return tf.layers.dense(tf.concat([data, domains], 1), DATA, activation=tf.nn.tanh, name="out")

    return generator_fn


def star_discriminator(tf):
    def discriminator_fn(data, domains):
        return tf.layers.dense(data, 1, name="source")[:, 0], tf.layers.dense(data, domains, name="class")

    return discriminator_fn


class Losses:
    """Makes a hook that keeps the loss of each step."""

    def __init__(self, tf):
        self.values = []

        class Hook(tf.train.SessionRunHook):
            def before_run(hook, context):
                return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

            def after_run(hook, context, found):
                self.values.append(found.results)

        self.hook = Hook()


def run(tf, name, folder, strategy=None):
    """Returns the losses, metrics, predictions, and all variables of the last checkpoint, from the same values."""
    losses, assignments = Losses(tf), []

    class Assign(tf.train.SessionRunHook):
        """Assigns the initial values."""

        def begin(self):
            for each in tf.trainable_variables():
                assignments.append(each.assign(values(each.shape.as_list(), each.op.name, 0.7)))

        def after_create_session(self, session, coordinator):
            session.run(assignments)

    estimator = make(tf, name, folder, strategy)
    estimator.train(inputs(tf, name), hooks=[Assign(), losses.hook], steps=STEPS)
    found = {"losses": np.array(losses.values)}
    for variable in estimator.get_variable_names():
        found["last/" + variable] = estimator.get_variable_value(variable)
    if strategy is None and name != "stargan":
        for key, value in estimator.evaluate(inputs(tf), steps=3).items():
            found["metric/" + key] = value
        noise = tf.estimator.inputs.numpy_input_fn(values([6, NOISE], "predicted"), batch_size=6, shuffle=False)
        found["predicted"] = np.array(list(estimator.predict(noise)))
    return found


def recorded(name):
    """Returns the recording of `run`."""
    with np.load(REFERENCE, allow_pickle=False) as file:
        return {key[len(name) + 1 :]: file[key] for key in file.files if key.startswith(name + ":")}


def main(tf):
    found = {}
    for name in ("sequential", "head", "stargan", "mirrored"):
        strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=2) if name == "mirrored" else None
        for key, value in run(tf, name, tempfile.mkdtemp(), strategy).items():
            found["{}:{}".format(name, key)] = value
    np.savez_compressed(REFERENCE, **found)


if __name__ == "__main__":
    import tensorflow

    sys.exit(main(tensorflow))
