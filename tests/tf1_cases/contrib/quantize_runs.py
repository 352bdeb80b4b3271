"""Graphs that tf.contrib.quantize rewrites, compared with TensorFlow 1.15.

A run rewrites a training graph, trains some steps, and copies the variables to an evaluation graph.

To record again, on TensorFlow 1.15, from tests/:

    python -m tf1_cases.contrib.quantize_runs [CASE ...]
"""
import json
import os
import sys

import numpy as np
from tf1_cases import recorded_cases

from legacy_towers.compat import tf

REFERENCE = os.path.join(recorded_cases.FOLDER, "contrib_quantize.npz")
STEPS = 3
RATE = 0.02


def _slim(training, fused, **more):
    slim = tf.contrib.slim
    parameters = dict(is_training=training, fused=fused, decay=0.8, **more)
    return slim.arg_scope(
        [slim.conv2d, slim.separable_conv2d, slim.fully_connected],
        normalizer_fn=slim.batch_norm,
        normalizer_params=parameters,
        activation_fn=tf.nn.relu6,
    )


def mobile(images, training, fused=True, **more):
    """Builds convolutions as in MobileNet: separable, dilated, a fully connected layer."""
    slim = tf.contrib.slim
    with _slim(training, fused, **more):
        net = slim.conv2d(images, 4, 3, stride=2, scope="conv")
        net = slim.separable_conv2d(net, None, 3, 1, scope="depthwise")
        net = slim.conv2d(net, 6, 1, scope="pointwise")
        net = tf.reduce_mean(net, [1, 2])
        net = slim.fully_connected(net, 5, scope="full")
    return slim.fully_connected(net, 2, activation_fn=None, scope="logits")


def dilated(images, training):
    slim = tf.contrib.slim
    with _slim(training, True, scale=True):
        net = slim.separable_conv2d(images, None, 3, 1, rate=2, scope="depthwise")
        net = slim.conv2d(net, 3, 3, scope="conv")
        net = slim.separable_conv2d(net, 4, 3, 1, scope="separable")
    return slim.conv2d(tf.reduce_mean(net, [1, 2], keepdims=True), 2, 1, activation_fn=None, scope="logits")[:, 0, 0]


def residual(images, training, fused=True):
    """Builds residual blocks, and blocks of MobileNet V2, whose additions have no activation."""
    slim = tf.contrib.slim
    with tf.variable_scope("net"), _slim(training, fused, scale=True):
        net = slim.conv2d(images, 4, 3, scope="first")
        with tf.variable_scope("block"):
            inner = slim.conv2d(net, 4, 3, scope="one")
            inner = slim.conv2d(inner, 4, 1, activation_fn=None, scope="two")
            net = tf.nn.relu(inner + net)
        with tf.variable_scope("linear"):
            inner = slim.conv2d(net, 4, 1, activation_fn=None, scope="one")
            net = tf.identity(tf.add(inner, net), name="output")
        with tf.variable_scope("after"):
            net = slim.conv2d(net, 4, 1, scope="one") + net
        net = tf.add(net * 0.5, tf.nn.max_pool(net, [1, 2, 2, 1], [1, 1, 1, 1], "SAME"), name="mixed")
        net = slim.flatten(slim.max_pool2d(net, 2))
    return slim.fully_connected(net, 2, activation_fn=None, scope="logits")


def layers(images, training, fused=True):
    net = tf.layers.conv2d(images, 4, 3, use_bias=False, name="conv")
    net = tf.layers.batch_normalization(net, training=training, fused=fused, momentum=0.8, name="norm")
    net = tf.nn.relu(net)
    net = tf.layers.separable_conv2d(net, 4, 3, activation=tf.nn.relu, name="separable")
    net = tf.layers.conv2d(net, 4, 3, name="biased")
    net = tf.layers.batch_normalization(net, training=training, momentum=0.8, name="norm_of_biased")
    net = tf.layers.flatten(tf.nn.relu(net))
    net = tf.layers.dense(net, 6, activation=tf.nn.relu, name="dense")
    return tf.layers.dense(net, 2, name="logits")


def towers(images, training):
    """Builds `mobile` in two towers that share variables, like clones of slim."""
    outputs = []
    for index, part in enumerate(tf.split(images, 2)):
        with tf.name_scope("clone_{}".format(index)), tf.variable_scope("", reuse=index > 0):
            outputs.append(mobile(part, training))
    return tf.concat(outputs, 0)


def plain(images, training):
    """Builds a model without layer functions, like the speech_commands example."""
    del training
    first = tf.get_variable("first_weights", [3, 3, 2, 4])
    bias = tf.get_variable("first_bias", [4])
    net = tf.nn.relu(tf.nn.conv2d(images, first, [1, 1, 1, 1], "SAME") + bias)
    net = tf.nn.max_pool(net, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    net = tf.reshape(net, [-1, 64])
    return tf.matmul(net, tf.get_variable("last_weights", [64, 2])) + tf.get_variable("last_bias", [2])


def dropping(images, training):
    """Builds three kinds of dropout, with random masks."""
    net = tf.layers.conv2d(images, 4, 3, activation=tf.nn.relu, name="conv")
    if training:
        net = tf.nn.dropout(net, 0.5)
    net = tf.layers.dropout(net, 0.2, training=training)
    net = tf.layers.dense(tf.layers.flatten(net), 4, tf.nn.relu, name="dense")
    net = tf.contrib.slim.dropout(net, 0.9, is_training=training, scope="last")
    return tf.layers.dense(net * tf.sigmoid(net) + 1.0, 2, name="logits")


def in_resources(model):
    """Returns `model` with resource variables."""

    def made(images, training):
        with tf.variable_scope("", use_resource=True):
            return model(images, training)

    return made


def _unfused(model):
    return lambda images, training: model(images, training, fused=False)


# name -> (model, options of the training rewrite)
CASES = {
    "mobile": (mobile, {}),
    "mobile unfused": (_unfused(mobile), {}),
    "mobile unfused gamma": (lambda images, training: mobile(images, training, False, scale=True), {}),
    "mobile delayed": (mobile, dict(quant_delay=3)),
    "mobile frozen": (mobile, dict(quant_delay=1, freeze_bn_delay=3)),
    "mobile unfused frozen": (_unfused(mobile), dict(freeze_bn_delay=2)),
    "mobile updates": (lambda images, training: mobile(images, training, updates_collections=None), {}),
    "mobile resources": (in_resources(mobile), {}),
    "dilated": (dilated, {}),
    "residual": (residual, {}),
    "residual symmetric": (residual, dict(symmetric=True, weight_bits=6, activation_bits=7)),
    "residual scope": (residual, dict(scope="net/block")),
    "layers": (layers, {}),
    "layers unfused": (_unfused(layers), {}),
    "layers resources": (in_resources(layers), {}),
    "towers": (towers, {}),
    "plain": (plain, {}),
    "dropout": (dropping, {}),
    "dropout delayed": (dropping, dict(quant_delay=2)),
}
# Numbers differ between runs, so only names are compared. A step of "mobile updates" reads and writes the moving
# averages in any order.
NAMES_ALONE = ("mobile updates", "dropout", "dropout delayed")


def run(quantize, name):
    """Runs the case; returns names of operations and variables, and name -> numbers (empty for `NAMES_ALONE`)."""
    model, options = CASES[name]
    images = recorded_cases.values([8, 8, 8, 2], "images")
    eval_options = {key: value for key, value in options.items() if key not in ("quant_delay", "freeze_bn_delay")}
    numbers = {}
    with tf.Graph().as_default() as graph:
        logits = model(tf.constant(images), True)
        targets = np.eye(2)[np.arange(8) % 2].astype(np.float32)
        loss = tf.losses.softmax_cross_entropy(targets, logits)
        if set(options) <= {"quant_delay"}:
            quantize.create_training_graph(graph, **options)
        else:
            quantize.experimental_create_training_graph(graph, **options)
        names = {"training": _names(graph), "variables": _variables()}
        changes = _changes(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run([each for each in map(_assigned, tf.global_variables()) if each is not None])
            losses = []
            for _ in range(STEPS):
                found, changed = session.run([loss, changes])
                losses.append(found)
                session.run([_variable(key).assign_sub(value) for key, value in changed.items()])
            values = session.run({variable.op.name: variable for variable in tf.global_variables()})
    with tf.Graph().as_default() as graph:
        logits = model(tf.constant(images), False)
        if eval_options:
            quantize.experimental_create_eval_graph(graph, **eval_options)
        else:
            quantize.create_eval_graph(graph)
        names["evaluation"] = _names(graph)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            known = [variable for variable in tf.global_variables() if variable.op.name in values]
            session.run([variable.assign(values[variable.op.name]) for variable in known])
            numbers["logits"] = session.run(logits)
    numbers["losses"] = losses
    numbers.update({key: value for key, value in values.items() if not key.endswith(("/biased", "/local_step"))})
    return names, {} if name in NAMES_ALONE else {key: np.asarray(value, np.float32) for key, value in numbers.items()}


def _names(graph):
    """Returns the fake quantization operations of `graph` and their readers."""
    found = []
    for operation in graph.get_operations():
        if operation.type.startswith("FakeQuant"):
            readers = sorted(reader.name for reader in operation.outputs[0].consumers())
            bits = [operation.get_attr("num_bits"), operation.get_attr("narrow_range")]
            found.append([operation.name, operation.inputs[0].op.name, readers] + bits)
    return sorted(found)


def _variables():
    # Variables of moving averages are listed twice, on 1.15 too.
    return sorted(
        [variable.op.name, variable.shape.as_list(), variable in tf.trainable_variables()]
        for variable in tf.global_variables()
    )


def _assigned(variable):
    name = variable.op.name
    if "quant" in name or variable.dtype.base_dtype != tf.float32:
        return None
    value = recorded_cases.values(variable.shape.as_list(), name, 0.6)
    return variable.assign(np.abs(value) + 0.5 if "variance" in name or "gamma" in name else value)


def _changes(loss):
    """Returns name of a variable -> its SGD update.

    Updates are applied in a separate run: folded layers read the moving averages that the step writes.
    """
    variables = tf.trainable_variables()
    found = {v.op.name: RATE * each for v, each in zip(variables, tf.gradients(loss, variables)) if each is not None}
    for update in tf.get_collection(tf.GraphKeys.UPDATE_OPS):
        update = update if isinstance(update, tf.Operation) else update.op
        while update.type not in ("AssignSub", "AssignSubVariableOp"):
            update = (list(update.control_inputs) + [each.op for each in update.inputs])[0]
        name = update.inputs[0].op.name
        found[name] = found[name] + update.inputs[1] if name in found else update.inputs[1]
    return found


def _variable(name):
    return [variable for variable in tf.global_variables() if variable.op.name == name][0]


def recorded(name):
    """Returns the recording of the case."""
    with np.load(REFERENCE, allow_pickle=False) as stored:
        names, shapes, start = json.loads(stored["index"].tobytes().decode())[name]
        numbers = {}
        for key, shape in shapes:
            size = int(np.prod(shape, dtype=np.int64))
            numbers[key] = stored["numbers"][start : start + size].reshape(shape)
            start += size
        return names, numbers


def _record(cases):
    found = {case: run(tf.contrib.quantize, case) if case in cases else recorded(case) for case in CASES}
    index, numbers = {}, np.zeros([0], np.float32)
    for case, (names, arrays) in found.items():
        index[case] = [names, [[key, list(arrays[key].shape)] for key in sorted(arrays)], len(numbers)]
        numbers = np.concatenate([numbers] + [arrays[key].ravel() for key in sorted(arrays)])
    text = np.frombuffer(json.dumps(index, sort_keys=True).encode(), np.uint8)
    np.savez_compressed(REFERENCE, index=text, numbers=numbers)


if __name__ == "__main__":
    if not recorded_cases.is_1_15():
        sys.exit("TensorFlow 1.15 alone has the real one")
    _record(sys.argv[1:] or CASES)
