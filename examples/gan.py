"""A GAN on several towers: two losses, two optimizers, alternating five steps and one, on handwritten digits.

    python examples/gan.py --towers 4 --picture samples.png
    legacy-towers train examples/gan.py --towers 4 --steps 600

The generator draws an 8x8 digit from noise and a label; the discriminator scores an image with its label. Each trains
its own variables, with gradients that are averaged over the towers: the discriminator five steps, then the generator
one. The picture has a row per digit, 0 to 9.

Losses: I. Gulrajani et al., "Improved Training of Wasserstein GANs", 2017.
"""
import argparse
import sys
import time

import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import UserError

PIXELS, CLASSES, NOISE, UNITS = 64, 10, 32, 256
PENALTY = 10.0
STEPS = {"discriminator": 5, "generator": 1}


def load_digits():
    """Returns {"image": float32 [count, 64] from 0 to 1, "label": int64 [count]}."""
    from sklearn.datasets import load_digits as load

    digits = load()
    return {"image": (digits.data / 16.0).astype(np.float32), "label": digits.target.astype(np.int64)}


def dense(name, inputs, units):
    """Returns a dense layer without activation."""
    with tf.variable_scope(name):
        weights = tf.get_variable("weights", [inputs.shape[-1], units], initializer=tf.glorot_uniform_initializer())
        biases = tf.get_variable("biases", [units], initializer=tf.zeros_initializer())
        return tf.matmul(inputs, weights) + biases


def generate(labels, noise):
    """Returns images, float32 [count, 64] from 0 to 1, of the digits int64 [count] from noise float32 [count, 32]."""
    with tf.variable_scope("generator", reuse=tf.AUTO_REUSE):
        net = tf.concat([noise, tf.one_hot(labels, CLASSES)], axis=1)
        for layer in ("first", "second"):
            net = tf.nn.relu(dense(layer, net, UNITS))
        return tf.nn.sigmoid(dense("pixels", net, PIXELS))


def score(images, labels):
    """Returns float32 [count]: the higher, the more an image looks like a real one of its label."""
    with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
        net = tf.concat([images, tf.one_hot(labels, CLASSES)], axis=1)
        for layer in ("first", "second"):
            net = tf.nn.leaky_relu(dense(layer, net, UNITS))
        return dense("score", net, 1)[:, 0]


def model_fn(batch, mode):
    """Returns the losses of one tower, or, for lt.PREDICT, images."""
    real, labels = batch["image"], batch["label"]
    count = tf.shape(labels)[0]
    fake = generate(labels, tf.random_normal([count, NOISE]))
    if mode == lt.PREDICT:
        return lt.TowerOutput(predictions={"image": fake, "label": labels})
    of_fake, of_real = score(fake, labels), score(real, labels)
    between = real + tf.random_uniform([count, 1]) * (fake - real)
    (slopes,) = tf.gradients(score(between, labels), between)
    # Where the slope is 0, the gradient of its length is NaN.
    lengths = tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1) + 1e-12)
    distance = tf.reduce_mean(of_real) - tf.reduce_mean(of_fake)
    return lt.TowerOutput(
        loss={
            "discriminator": PENALTY * tf.reduce_mean(tf.square(lengths - 1.0)) - distance,
            "generator": -tf.reduce_mean(of_fake),
        },
        metrics={"distance": distance},
    )


def objectives(learning_rate):
    """Returns the two objectives of the step, which alternate."""
    return [
        lt.Objective(name, tf.train.AdamOptimizer(learning_rate, beta1=0.5, beta2=0.9), variables=name, steps=steps)
        for name, steps in STEPS.items()
    ]


@lt.job
def gan(learning_rate=5e-4, seed=1):
    """Returns the job; its arguments are options of the command line."""
    return lt.Job(
        model_fn=model_fn,
        train=lt.Examples.from_arrays(load_digits(), seed=seed),
        optimizer=lambda global_step: objectives(learning_rate),
        per_tower_batch_size=32,
        epochs=400,
    )


def picture_of(images, columns):
    """Returns a PNG of float32 [10 * columns, 64] images, a row per digit, each pixel drawn as 4 by 4."""
    tiles = images.reshape([CLASSES, columns, 8, 8])
    tiles = np.pad(tiles, [(0, 0), (0, 0), (1, 1), (1, 1)], "constant")
    page = tiles.transpose([0, 2, 1, 3]).reshape([CLASSES * 10, columns * 10])
    page = np.round(255 * np.kron(page, np.ones([4, 4]))).astype(np.uint8)[..., np.newaxis]
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.image.encode_png(page))


def fraction_recognized(images, labels, data):
    """Returns the fraction of images whose nearest real image has the same label."""
    distances = (
        np.square(images).sum(1)[:, np.newaxis] + np.square(data["image"]).sum(1) - 2 * images.dot(data["image"].T)
    )
    return float(np.mean(data["label"][distances.argmin(axis=1)] == labels))


def train(towers, steps, per_tower_batch_size=32, columns=10, learning_rate=5e-4):
    """Trains in a `tf.Session`.

    Returns:
      float32 [10 * columns, 64] images, their labels, and the fraction of them that is recognized before and after.
    """
    data = load_digits()
    labels = np.repeat(np.arange(CLASSES), columns)
    noise = np.random.RandomState(2).normal(size=[len(labels), NOISE]).astype(np.float32)
    with tf.Graph().as_default():
        step = lt.build_train_step(
            model_fn,
            inputs=lt.inputs.dataset(
                lt.Examples.from_arrays(data, seed=1), per_tower_batch_size=per_tower_batch_size, epochs=None
            ),
            optimizer=objectives(learning_rate),
            devices=lt.devices.cpus(towers),
        )
        print(step.plan.summary())
        samples = generate(labels, noise)
        with tf.Session(config=lt.session_config(logical_cpus=towers)) as session, step.running(session) as run:
            before = fraction_recognized(session.run(samples), labels, data)
            start = time.time()
            for number in range(1, steps + 1):
                if number % 600 and number != steps:
                    run()
                    continue
                distance = run(step.metrics["distance"])
                print("step {}/{}  distance {:.3f}  {:,.0f} examples/s".format(
                    number, steps, distance, number * towers * per_tower_batch_size / (time.time() - start)
                ))
            images = session.run(samples)
    return images, labels, before, fraction_recognized(images, labels, data)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--towers", type=int, default=4, help="number of CPU towers (%(default)s)")
    parser.add_argument("--steps", type=int, default=6000, help="of both objectives together (%(default)s)")
    parser.add_argument("--picture", metavar="FILE", help="write samples there, as a PNG")
    options = parser.parse_args(arguments)
    tf.logging.set_verbosity(tf.logging.ERROR)  # no deprecation warnings
    if options.steps < 1:
        parser.error("--steps is {}: at least 1 is needed".format(options.steps))
    try:
        if options.picture is not None:
            open(options.picture, "ab").close()  # a path that can't be written fails before the training, not after it
    except OSError as error:
        parser.error("--picture {}: {}".format(options.picture, error.strerror))
    try:
        images, _, before, after = train(options.towers, options.steps)
    except UserError as error:
        print("error: {}".format(error), file=sys.stderr)
        return 2
    if options.picture is not None:
        with open(options.picture, "wb") as target:
            target.write(picture_of(images, columns=10))
    print("samples whose nearest real digit is the one asked for: {:.2f} (untrained: {:.2f})".format(after, before))
    return 0


if __name__ == "__main__":
    sys.exit(main())
