"""CIFAR-10 on several towers, after TensorFlow's multi-GPU tutorial, with a trace that shows towers in parallel.

    legacy-towers train examples/cifar10.py --data-dir DIR --towers 2
    legacy-towers train examples/cifar10.py --generate --towers 2 --steps 60 --trace trace.json
    python examples/cifar10.py --generate --towers 2 --steps 150 --checkpoint-dir run

DIR contains the extracted cifar-10-binary.tar.gz. --generate writes files of the same format and size with images that
a network can learn. Training uses random crops of 24x24 pixels with random flips, brightness and contrast; the test
uses the center.
"""
import sys

import cifar10_files  # beside this file

import legacy_towers as lt
from legacy_towers.compat import tf

CROP = 24
CLASSES = 10


def parse(record):
    """Returns {"image": float32 [32, 32, 3] from 0 to 1, "label": int32 []}."""
    numbers = tf.reshape(tf.decode_raw(record, tf.uint8), [cifar10_files.RECORD_BYTES])
    image = tf.reshape(numbers[1:], [3, cifar10_files.SIDE, cifar10_files.SIDE])
    image = tf.cast(tf.transpose(image, [1, 2, 0]), tf.float32) / 255.0  # channels last
    return {"image": image, "label": tf.cast(numbers[0], tf.int32)}


def distort(example):
    """Returns the example with a random crop of its image, float32 [24, 24, 3]."""
    image = tf.random_crop(example["image"], [CROP, CROP, 3])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=0.25)
    image = tf.image.random_contrast(image, lower=0.5, upper=1.5)
    return dict(example, image=tf.image.per_image_standardization(image))


def centre(example):
    """Returns the example with the center of its image, float32 [24, 24, 3]."""
    edge = (cifar10_files.SIDE - CROP) // 2
    image = example["image"][edge : edge + CROP, edge : edge + CROP, :]
    return dict(example, image=tf.image.per_image_standardization(image))


def layer(name, inputs, shape, weight_decay, convolve=False, last=False):
    """Returns the output of a dense or convolutional layer with weights of shape [..., inputs, outputs].

    Each tower adds the weight decay to the collection 'losses', besides its cross entropy.
    """
    with tf.variable_scope(name):
        spread = 0.1 if last else 2.0  # small initial logits: the first loss is log(10)
        weights = tf.get_variable("weights", shape, initializer=tf.variance_scaling_initializer(spread))
        biases = tf.get_variable("biases", shape[-1:], initializer=tf.zeros_initializer())
        if weight_decay:
            decay = weight_decay * tf.nn.l2_loss(weights)
            tf.add_to_collection("losses", decay)
            tf.summary.scalar("weight_decay", decay)
        product = tf.nn.conv2d(inputs, weights, [1, 1, 1, 1], "SAME") if convolve else tf.matmul(inputs, weights)
        outputs = tf.nn.bias_add(product, biases)
        if not last:
            outputs = tf.nn.relu(outputs)
            tf.summary.scalar("sparsity", tf.nn.zero_fraction(outputs))
        tf.summary.histogram("activations", outputs)
        return outputs


def net(images):
    """Returns logits, float32 [batch, 10], of images [batch, 24, 24, 3]."""
    hidden = images
    for name, shape in (("conv1", [5, 5, 3, 32]), ("conv2", [5, 5, 32, 64])):
        hidden = layer(name, hidden, shape, weight_decay=None, convolve=True)
        hidden = tf.nn.max_pool(hidden, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
    side = CROP // 4
    hidden = tf.reshape(hidden, [-1, side * side * 64])
    hidden = layer("local3", hidden, [side * side * 64, 192], weight_decay=0.002)
    return layer("logits", hidden, [192, CLASSES], weight_decay=None, last=True)


def model_fn(batch, mode):
    """Builds one tower. Its loss is the sum of what it adds to the collection 'losses'."""
    logits = net(batch["image"])
    probabilities = tf.nn.softmax(logits)
    labels = tf.argmax(logits, axis=1, output_type=tf.int32)
    if mode == lt.PREDICT:
        return lt.TowerOutput(predictions={"label": labels, "probabilities": probabilities})
    cross_entropy = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch["label"], logits=logits)
    )
    tf.summary.scalar("cross_entropy", cross_entropy)
    metrics = {"accuracy": tf.cast(tf.equal(labels, batch["label"]), tf.float32)}
    if mode == lt.EVAL:
        return lt.TowerOutput(loss=cross_entropy, metrics=metrics)
    tf.add_to_collection("losses", cross_entropy)
    return lt.TowerOutput(metrics=metrics)


@lt.job
def cifar10(data_dir="cifar10-data", generate=False, learning_rate=0.005, decay_steps=2000, shuffle_seed=1):
    """Returns the job. Its arguments are options of the command line, such as --data-dir."""
    files = cifar10_files.find_files(data_dir, generate)

    def optimizer(global_step):
        rate = tf.train.exponential_decay(learning_rate, global_step, decay_steps, 0.3, staircase=True)
        tf.summary.scalar("learning_rate", rate)
        return tf.train.MomentumOptimizer(rate, 0.9)

    record_bytes = cifar10_files.RECORD_BYTES
    train = lt.Examples.from_fixed_length(files.train, record_bytes, parse, shuffle=5000, seed=shuffle_seed)
    test = lt.Examples.from_fixed_length([files.test], record_bytes, parse)
    return lt.Job(
        model_fn=model_fn,
        train=train.map(distort),
        test=test.map(centre),
        optimizer=optimizer,
        per_tower_batch_size=64,
        epochs=10,
        # The decay adapts to the number of steps: after 150 steps it averages over about 17.
        moving_average_decay=0.9999,
    )


if __name__ == "__main__":
    sys.exit(lt.main(["train", __file__] + sys.argv[1:]))
