"""Cases of tf.contrib.layers; see recorded_cases. To record them again, on TensorFlow 1.15, in tests/:

    python -m tf1_cases.contrib.layers_cases
"""
from tf1_cases import recorded_cases


def _values(tf, *shape):
    return tf.constant(recorded_cases.values(list(shape), "input", 1.0))


def _of(shape, call):
    """Returns the case whose outputs are `call(layers, input)`, a tensor or a list of tensors."""

    def case(tf):
        outputs = call(tf.contrib.layers, _values(tf, *shape))
        outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        return {"out{}".format(index): each for index, each in enumerate(outputs)}

    return case


_IMAGE = (2, 6, 6, 3)
_FIRST = (2, 3, 6, 6)


def _arg_scopes(tf):
    layers = tf.contrib.layers
    framework = tf.contrib.framework
    with framework.arg_scope(
        [layers.conv2d, layers.fully_connected, layers.separable_conv2d],
        weights_regularizer=layers.l2_regularizer(0.01),
        weights_initializer=layers.variance_scaling_initializer(seed=1),
        biases_initializer=tf.constant_initializer(0.1),
        variables_collections=["mine"],
    ) as scope:
        net = layers.conv2d(_values(tf, *_IMAGE), 4, [3, 3], scope="conv1")
        net = layers.separable_conv2d(net, 3, [3, 3], 2, scope="sep")
    with framework.arg_scope(scope):
        net = layers.fully_connected(layers.flatten(net), 5, activation_fn=None, scope="fc")
    assert framework.arg_scoped_arguments(layers.conv2d)
    count = len(tf.get_collection("mine"))
    return {"out": net, "count": tf.constant(count), "loss": tf.losses.get_regularization_loss()}


def _reused(tf):
    layers = tf.contrib.layers
    given = _values(tf, *_IMAGE)
    first = layers.conv2d(given, 2, 3, scope="conv")
    second = layers.conv2d(given + 1.0, 2, 3, scope="conv", reuse=True)
    with tf.variable_scope("outer"):
        third = layers.fully_connected(layers.flatten(first), 3)
        fourth = layers.fully_connected(third, 3)
    with tf.variable_scope("outer", reuse=True):
        fifth = layers.fully_connected(layers.flatten(second), 3)
    return {"second": second, "fourth": fourth, "fifth": fifth}


def _repeat_and_stack(tf):
    layers = tf.contrib.layers
    net = layers.repeat(_values(tf, *_IMAGE), 2, layers.conv2d, 4, [3, 3], scope="conv")
    net = layers.stack(net, layers.conv2d, [(3, [1, 1]), (2, [3, 3])], scope="mix")
    net = layers.stack(layers.flatten(net), layers.fully_connected, [4, 3], scope="fc")
    return {"out": net}


def _collections(tf):
    layers = tf.contrib.layers
    net = layers.conv2d(_values(tf, *_IMAGE), 3, 3, outputs_collections=["ends"], scope="conv")
    net = layers.max_pool2d(net, 2, outputs_collections=["ends"], scope="pool")
    net = layers.fully_connected(layers.flatten(net), 2, outputs_collections=["ends"], scope="fc",
                                 variables_collections={"weights": ["w"], "biases": ["b"]})  # fmt: skip
    ends = tf.get_collection("ends")
    names = [each.alias if hasattr(each, "alias") else each.name for each in ends]
    names.extend(each.name for each in tf.get_collection("w") + tf.get_collection("b"))
    names.extend(each.name for each in tf.contrib.framework.get_model_variables())
    return {"out": net, "names": tf.constant("|".join(names)), "first": ends[0]}


def _dropout(tf):
    layers = tf.contrib.layers
    given = _values(tf, *_IMAGE)
    kept = layers.dropout(given, 0.5, is_training=False)
    made = layers.dropout(tf.ones([400]), 0.5, seed=3)
    fed = layers.dropout(given, 0.5, is_training=tf.placeholder_with_default(False, []))
    zeros_or_twos = tf.reduce_all(tf.logical_or(tf.equal(made, 0.0), tf.equal(made, 2.0)))
    return {"kept": kept, "fed": fed, "scaled": zeros_or_twos}


def _initializers(tf):
    layers = tf.contrib.layers
    made = {
        "xavier": layers.xavier_initializer(seed=1),
        "xavier normal": layers.xavier_initializer(uniform=False, seed=1),
        "xavier conv": layers.xavier_initializer_conv2d(seed=1),
        "scaling": layers.variance_scaling_initializer(seed=2),
        "scaling uniform": layers.variance_scaling_initializer(1.0, "FAN_AVG", True, seed=2),
        "scaling out": layers.variance_scaling_initializer(mode="FAN_OUT", seed=2),
    }
    out = {}
    for name, initializer in made.items():
        out[name] = initializer([3, 3, 4, 2], dtype=tf.float32)
    out["matrix"] = layers.xavier_initializer(seed=5)([7, 5], dtype=tf.float32)
    return out


def _regularizers(tf):
    layers = tf.contrib.layers
    weights = _values(tf, 3, 4)
    both = layers.sum_regularizer([layers.l1_regularizer(0.1), layers.l2_regularizer(0.2)])
    with tf.variable_scope("scoped", regularizer=layers.l2_regularizer(0.5)):
        variable = tf.get_variable("w", [3])
    applied = layers.apply_regularization(layers.l1_l2_regularizer(0.1, 0.2), [weights, tf.identity(variable)])
    none = layers.l2_regularizer(0.0)(weights)
    assert none is None
    return {"both": both(weights), "applied": applied, "loss": tf.losses.get_regularization_loss()}


def _norms(tf):
    layers = tf.contrib.layers
    given = _values(tf, 2, 4, 4, 6)
    return {
        "layer": layers.layer_norm(given, scope="ln"),
        "layer of rows": layers.layer_norm(_values(tf, 3, 5), begin_norm_axis=1, scale=False, scope="rows"),
        "instance": layers.instance_norm(given, scope="in"),
        "group": layers.group_norm(given, groups=3, scope="gn"),
        "group of first": layers.group_norm(given, groups=2, channels_axis=1, reduction_axes=[2, 3], scope="gf"),
        "unit": layers.unit_norm(given, 3),
    }


def _sequences(tf):
    layers = tf.contrib.layers
    given = _values(tf, 2, 4, 5, 3)
    sequence = layers.images_to_sequence(given)
    return {"sequence": sequence, "images": layers.sequence_to_images(sequence, 4)}


def _sparse(tf):
    layers = tf.contrib.layers
    sparse = layers.dense_to_sparse(tf.constant([[1, 0, 2], [0, 0, 3]]), eos_token=0)
    return {"indices": sparse.indices, "values": sparse.values}


def _summaries(tf):
    layers = tf.contrib.layers
    net = layers.fully_connected(_values(tf, 2, 3), 2, scope="fc")
    layers.summarize_activation(net)
    layers.summarize_tensor(tf.reduce_sum(net))
    layers.summarize_tensors(tf.trainable_variables())
    layers.summarize_collection(tf.GraphKeys.TRAINABLE_VARIABLES)
    layers.summarize_activations()
    names = sorted(each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES))
    return {"out": net, "names": tf.constant("|".join(names))}


def _scale_gradient(tf):
    given = _values(tf, 3)
    scaled = tf.contrib.layers.scale_gradient(given, tf.constant(0.25))
    return {"same": scaled, "gradient": tf.gradients(scaled * scaled, given)[0]}


def _reversible(tf):
    layers = tf.contrib.layers

    def half(x):
        return layers.fully_connected(x, 3, scope="dense")

    one, other = _values(tf, 2, 3), 2.0 * _values(tf, 2, 3)
    tf.get_variable_scope().set_use_resource(True)
    y1, y2 = layers.rev_block(one, other, half, half, num_layers=2)

    @layers.recompute_grad
    def again(x):
        return layers.fully_connected(x, 2, scope="again")

    return {"y1": y1, "y2": y2, "again": again(y1)}


def _legacy(tf):
    layers = tf.contrib.layers
    given = _values(tf, 2, 3)
    return {
        "legacy": layers.legacy_fully_connected(given, 2, activation_fn=tf.nn.relu, name="legacy",
                                                weight_regularizer=layers.l2_regularizer(0.1)),
        "relu": layers.legacy_relu(given, 2), "linear": layers.legacy_linear(given, 2),
        "newer": layers.relu(given, 2), "six": layers.relu6(given, 2), "plain": layers.linear(given, 2),
        "elu": layers.elu(given, 2),
    }  # fmt: skip


def _one_hot(tf):
    return {"out": tf.contrib.layers.one_hot_encoding(tf.constant([1, 0, 2]), 4, on_value=2.0, off_value=-1.0)}


def _embeddings(tf):
    layers = tf.contrib.layers
    ids = tf.constant([[1, 2, 0], [3, 3, 1]])
    sequence = layers.embed_sequence(ids, vocab_size=5, embed_dim=3, scope="words")
    again = layers.embed_sequence(ids, vocab_size=5, embed_dim=3, scope="words", reuse=True)
    bag = layers.bow_encoder(ids, vocab_size=5, embed_dim=2, scope="bag")
    sparse = layers.bow_encoder(tf.SparseTensor([[0, 0], [1, 1]], tf.constant([2, 4], tf.int64), [2, 2]), 5, 2,
                                sparse_lookup=True, scope="sparse")  # fmt: skip
    table = tf.get_variable("table", [5, 2])
    unique = layers.embedding_lookup_unique(table, ids)
    return {"sequence": sequence, "again": again, "bag": bag, "sparse": sparse, "unique": unique}


def _safe_lookup(combiner, weighted):
    def case(tf):
        table = tf.get_variable("table", [6, 2])
        indices = [[0, 0], [0, 1], [1, 0], [3, 0], [3, 1]]
        ids = tf.SparseTensor(indices, tf.constant([1, 3, -1, 2, 5], tf.int64), [5, 2])
        weights = tf.SparseTensor(indices, [1.0, 2.0, 1.0, 0.0, 3.0], [5, 2]) if weighted else None
        lookup = tf.contrib.layers.safe_embedding_lookup_sparse
        return {
            "zeros": lookup([table], ids, weights, combiner=combiner),
            "default": lookup([table], ids, weights, combiner=combiner, default_id=4),
        }

    return case


def _cut_lookup(tf):
    with tf.variable_scope("cut", partitioner=tf.fixed_size_partitioner(2)):
        table = tf.get_variable("table", [6, 2])
    ids = tf.SparseTensor([[0, 0], [2, 1]], tf.constant([1, 5], tf.int64), [3, 2])
    layers = tf.contrib.layers
    return {
        "safe": layers.safe_embedding_lookup_sparse(table, ids, partition_strategy="mod", combiner="sum"),
        "unique": layers.embedding_lookup_unique(list(table), tf.constant([[4, 4], [0, 5]])),
    }


def _optimized(**options):
    def case(tf):
        layers = tf.contrib.layers
        step = tf.train.get_or_create_global_step()
        weights = tf.get_variable("w", [3], initializer=tf.constant_initializer(0.0))
        given = {name: value(tf) if callable(value) else value for name, value in options.items()}
        given.setdefault("optimizer", "SGD")
        loss = tf.reduce_sum(tf.square(weights + 1.0) * tf.constant([1.0, 2.0, 3.0]))
        train = layers.optimize_loss(loss, step, given.pop("learning_rate", 0.1), **given)
        names = sorted(each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES))
        with tf.control_dependencies([train]):
            return {"loss": tf.stop_gradient(loss), "train": tf.stop_gradient(train),
                    "after": tf.stop_gradient(weights.read_value()), "step": step.read_value(),
                    "names": tf.constant("|".join(names))}  # fmt: skip

    return case


def _decayed(tf):
    return lambda rate, step: tf.train.exponential_decay(rate, step, 1, 0.5)


CASES = {
    "conv2d": _of(_IMAGE, lambda layers, x: layers.conv2d(x, 4, [3, 3])),
    "conv2d strided": _of(_IMAGE, lambda layers, x: layers.conv2d(x, 4, 3, 2, "VALID", activation_fn=None)),
    "conv2d dilated": _of(_IMAGE, lambda layers, x: layers.conv2d(x, 4, 3, rate=2, biases_initializer=None)),
    "conv2d not trainable": _of(_IMAGE, lambda layers, x: layers.conv2d(x, 4, 3, trainable=False)),
    "conv1d": _of((2, 7, 3), lambda layers, x: layers.conv1d(x, 2, 3)),
    "conv3d": _of((1, 4, 4, 4, 2), lambda layers, x: layers.conv3d(x, 2, 3)),
    "convolution names": _of(
        _IMAGE, lambda layers, x: [layers.convolution(x, 2, 3), layers.convolution2d(x, 2, 3)]
    ),
    "conv2d in plane": _of(_IMAGE, lambda layers, x: layers.conv2d_in_plane(x, [1, 2], padding="VALID")),
    "conv2d transpose": _of(_IMAGE, lambda layers, x: layers.conv2d_transpose(x, 2, [3, 3], stride=2)),
    "conv3d transpose": _of((1, 3, 3, 3, 2), lambda layers, x: layers.conv3d_transpose(x, 2, 3, stride=2)),
    "separable": _of(_IMAGE, lambda layers, x: layers.separable_conv2d(x, 4, [3, 3], 2)),
    "separable strided": _of(
        _IMAGE,
        lambda layers, x: layers.separable_conv2d(
            x, 4, 3, 1, stride=2, weights_regularizer=layers.l2_regularizer(0.1), normalizer_fn=layers.batch_norm
        ),
    ),
    "depthwise": _of(_IMAGE, lambda layers, x: layers.separable_conv2d(x, None, 3, 2, rate=2, scope="depthwise")),
    "depthwise normalized": _of(
        _IMAGE, lambda layers, x: layers.separable_conv2d(x, None, 3, 1, normalizer_fn=layers.batch_norm)
    ),
    "fully connected": _of((4, 3), lambda layers, x: layers.fully_connected(x, 2)),
    "fully connected of rank 3": _of((2, 4, 3), lambda layers, x: layers.fully_connected(x, 2, activation_fn=None)),
    "pools": _of(
        _IMAGE,
        lambda layers, x: [
            layers.max_pool2d(x, [2, 2]), layers.avg_pool2d(x, 3, 1, padding="SAME"),
            layers.max_pool2d(x, 3, 2, "SAME"),
        ],
    ),  # fmt: skip
    "pools 3d": _of((1, 4, 4, 4, 2), lambda layers, x: [layers.max_pool3d(x, 2), layers.avg_pool3d(x, 2)]),
    "flatten": _of(_IMAGE, lambda layers, x: layers.flatten(x)),
    "bias add": _of(_IMAGE, lambda layers, x: layers.bias_add(x, regularizer=layers.l2_regularizer(0.1))),
    "softmax": _of(_IMAGE, lambda layers, x: layers.softmax(x)),
    "spatial softmax": _of(_IMAGE, lambda layers, x: layers.spatial_softmax(x)),
    "spatial softmax fixed": _of(_IMAGE, lambda layers, x: layers.spatial_softmax(x, temperature=0.5)),
    "maxout": _of((2, 6), lambda layers, x: layers.maxout(x, 3)),
    "gdn": _of(_IMAGE, lambda layers, x: [layers.gdn(x), layers.gdn(x, inverse=True)]),
    "arg scopes": _arg_scopes,
    "reuse": _reused,
    "repeat and stack": _repeat_and_stack,
    "collections": _collections,
    "dropout": _dropout,
    "initializers": _initializers,
    "regularizers": _regularizers,
    "norms": _norms,
    "sequences": _sequences,
    "sparse": _sparse,
    "summaries": _summaries,
    "scale gradient": _scale_gradient,
    "reversible": _reversible,
    "legacy": _legacy,
    "one hot": _one_hot,
    "embeddings": _embeddings,
    "safe lookup": _safe_lookup("mean", False),
    "safe lookup weighted": _safe_lookup("mean", True),
    "safe lookup sqrtn": _safe_lookup("sqrtn", True),
    "lookup of parts": _cut_lookup,
    "optimize": _optimized(),
    "optimize momentum": _optimized(optimizer="Momentum", learning_rate=0.01),
    "optimize class": _optimized(optimizer=lambda tf: tf.train.AdagradOptimizer),
    "optimize clipped": _optimized(clip_gradients=0.5, summaries=["loss", "learning_rate", "global_gradient_norm"]),
    "optimize decayed": _optimized(
        learning_rate_decay_fn=_decayed, gradient_multipliers={"w": 0.5},
        summaries=["gradients", "gradient_norm", "loss"], colocate_gradients_with_ops=True,
    ),
    "optimize named": _optimized(name="mine", increment_global_step=False, learning_rate=None, optimizer=lambda tf: (
        lambda: tf.train.MomentumOptimizer(0.1, 0.9))),
}  # fmt: skip


if __name__ == "__main__":
    recorded_cases.record("contrib_layers", CASES)
