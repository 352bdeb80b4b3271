"""GANEstimator on two GPUs: ten generator steps and one discriminator step in turns."""
import argparse
import sys

import numpy as np
import tensorflow as tf

tfgan = tf.contrib.gan
tf.logging.set_verbosity(tf.logging.ERROR)


def generator_fn(noise, mode):
    with tf.contrib.framework.arg_scope([tf.contrib.layers.fully_connected], activation_fn=tf.nn.tanh):
        net = tf.contrib.layers.fully_connected(noise, 12)
        return tf.contrib.layers.fully_connected(net, 16, activation_fn=tf.sigmoid)


def discriminator_fn(img, unused_conditioning, mode):
    net = tf.contrib.layers.fully_connected(img, 12, activation_fn=tf.nn.tanh)
    return tf.contrib.layers.fully_connected(net, 1, activation_fn=None)


def train_input_fn(batch_size=4, noise_dims=6):
    rng = np.random.RandomState(3)
    noise, images = rng.randn(60, noise_dims).astype(np.float32), rng.rand(60, 16).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((noise, images))
    return dataset.repeat().batch(batch_size, drop_remainder=True).prefetch(1)


class LossHook(tf.train.SessionRunHook):
    def before_run(self, run_context):
        return tf.train.SessionRunArgs(run_context.session.graph.get_collection(tf.GraphKeys.LOSSES)[-1])

    def after_run(self, run_context, run_values):
        print("loss = {:.8f}".format(run_values.results))


def main(argv):
    args = parser.parse_args(argv[1:])
    distribution = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
    config = tf.estimator.RunConfig(train_distribute=distribution, save_checkpoints_steps=1000)
    gan_estimator = tfgan.estimator.GANEstimator(
        args.model_dir,
        generator_fn=generator_fn,
        discriminator_fn=discriminator_fn,
        generator_loss_fn=tfgan.losses.wasserstein_generator_loss,
        discriminator_loss_fn=tfgan.losses.wasserstein_discriminator_loss,
        generator_optimizer=tf.train.AdamOptimizer(1e-3, 0.5),
        discriminator_optimizer=tf.train.AdamOptimizer(1e-4, 0.5),
        get_hooks_fn=tfgan.get_sequential_train_hooks(tfgan.GANTrainSteps(10, 1)),
        config=config)
    gan_estimator.train(train_input_fn, steps=args.steps, hooks=[LossHook()])
    print(len(gan_estimator.get_variable_names()), "variables")


parser = argparse.ArgumentParser()
parser.add_argument("--model_dir")
parser.add_argument("--steps", default=5, type=int)

if __name__ == "__main__":
    tf.app.run(main, sys.argv)
