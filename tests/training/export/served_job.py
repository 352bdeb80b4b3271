"""A job whose predictions need much of what a model can have; it is trained, exported and compared with `predict`."""
import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf

WORDS = ["ant", "bee", "cat", "dog"]


def arrays():
    random = np.random.RandomState(0)
    return {
        "image": random.rand(40, 8, 8, 1).astype(np.float32),
        "word": np.array(WORDS)[random.randint(0, 4, 40)],
        "pair": random.rand(40, 2, 3, 3).astype(np.float32),
        "label": random.randint(0, 3, 40),
    }


def table():
    return tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(
            "words.txt", tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
        ),
        -1,
    )


def model_fn(batch, mode):
    training = mode == lt.TRAIN
    net = tf.layers.conv2d(batch["image"], 4, 3, use_bias=False, name="w")
    net = tf.layers.batch_normalization(net, momentum=0.5, training=training)
    net = tf.layers.dropout(tf.layers.flatten(tf.nn.relu(net)), 0.5, training=training)
    word = tf.nn.embedding_lookup(tf.get_variable("words", [4, 3]), table().lookup(batch["word"]))
    pair = tf.matmul(batch["pair"], batch["pair"], transpose_b=True)
    number = tf.identity(tf.reduce_sum(pair, axis=[1, 2, 3]), name="number")
    _, number = tf.while_loop(lambda i, _: i < 3, lambda i, n: (i + 1, n / 2.0), [tf.constant(0), number])
    scale = tf.get_variable("number", [], initializer=tf.ones_initializer())
    number = tf.cond(scale > 0.0, lambda: number * scale, lambda: number)
    logits = tf.layers.dense(net, 3) + word + number[:, tf.newaxis]
    if mode == lt.PREDICT:
        return lt.TowerOutput(predictions={
            "class": tf.argmax(logits, axis=1),
            "logits": logits,
            "more": {"word": tf.strings.join(["a ", batch["word"]])},
        })
    tf.summary.histogram("logits", logits)
    return lt.TowerOutput(loss=tf.losses.sparse_softmax_cross_entropy(batch["label"], logits))


@lt.job
def served(average=0.5):
    with open("words.txt", "w") as stream:
        stream.write("\n".join(WORDS) + "\n")
    examples = lt.Examples.from_arrays(arrays(), shuffle=False)
    return lt.Job(
        model_fn, train=examples, test=examples, optimizer=lambda step: tf.train.MomentumOptimizer(0.1, 0.9),
        per_tower_batch_size=4, epochs=1, moving_average_decay=average, variables="replicated",
    )
