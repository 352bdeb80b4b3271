"""Graphs whose results were recorded on TensorFlow 1.15 and are compared on any TensorFlow.

A case is a function of the TF1 view that returns name -> tensor. The initial values of variables are derived from their
names, so that a recording needs no weights. A recording has the variables (name, shape, trainable), the sizes of
collections, the outputs, the gradient of a fixed weighted sum of all outputs, and the outputs after one SGD step.
"""
import importlib
import json
import os
import zlib
from typing import Any, Callable, Dict, List, NamedTuple

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference")
_RATE = 0.25


class Record(NamedTuple):
    """The results of a case: `facts` are plain values, `arrays` is name -> array."""

    facts: Dict[str, Any]
    arrays: Dict[str, Any]


def is_1_15() -> bool:
    """Returns whether TensorFlow 1.15 runs."""
    from legacy_towers.compat.tf1 import tree

    return tree.is_1_15()


def module(name: str) -> Any:
    """Returns the module `name` ("tensorflow.contrib.rnn"): on TensorFlow 1.15 the real one, else that of the tree."""
    from legacy_towers.compat.tf1 import tree

    return importlib.import_module(name) if is_1_15() else tree.module(name)


def values(shape: Any, seed: Any, scale: float = 1.0) -> Any:
    """Returns pseudorandom float32 values in [-scale, scale) for `seed`, any string or number."""
    random = np.random.RandomState(zlib.crc32(str(seed).encode()) & 0x7FFFFFFF)
    return (scale * random.uniform(-1.0, 1.0, size=shape)).astype(np.float32)


def run(case: Callable[[Any], Dict[str, Any]], tf: Any = None, view: Any = None) -> Record:
    """Builds and runs `case`, a function of the TF1 view that returns name -> tensor, in a new graph.

    Args:
      case: the function.
      tf: another TensorFlow than that of legacy_towers: 1.14, for example.
      view: what the case gets in place of TensorFlow 1.15 itself or the view.
    """
    if tf is None:
        from legacy_towers.compat import tf
    view = view if view is not None else module("tensorflow")

    with tf.Graph().as_default():
        outputs = {name: tf.convert_to_tensor(value) for name, value in case(view).items()}
        variables = tf.global_variables()
        trainable = tf.trainable_variables()
        loss = _weighted(tf, outputs)
        gradients = tf.gradients(loss, trainable) if trainable and loss is not None else []
        gradients = [None if each is None else tf.convert_to_tensor(each) for each in gradients]
        begin = [_assigned(tf, variable) for variable in variables]
        given = [(variable, each) for variable, each in zip(trainable, gradients) if each is not None]
        with tf.control_dependencies([each for _, each in given]):  # all gradients are computed before any update
            step = [variable.assign_sub(_RATE * each) for variable, each in given]
        facts = {
            "variables": [[variable.name, variable.shape.as_list()] for variable in variables],
            "trainable": [variable.name for variable in trainable],
            "without gradient": [v.name for v, each in zip(trainable, gradients) if each is None],
            "collections": {
                key: len(tf.get_collection(key))
                for key in (tf.GraphKeys.REGULARIZATION_LOSSES, tf.GraphKeys.UPDATE_OPS, tf.GraphKeys.LOSSES)
            },
            "outputs": {name: [value.dtype.base_dtype.name, str(value.shape)] for name, value in outputs.items()},
        }
        arrays: Dict[str, Any] = {}
        with tf.Session(config=_without_optimization(tf)) as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
            session.run([each for each in begin if each is not None])
            for name, value in session.run(outputs).items():
                arrays["first/" + name] = value
            found = session.run({variable.name: each for variable, each in given})
            for name, value in found.items():
                arrays["gradient/" + name] = value
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
            if step or updates:
                session.run(step)
                session.run(updates)
                for name, value in session.run(outputs).items():
                    arrays["second/" + name] = value
        return Record(facts, arrays)


def _without_optimization(tf: Any) -> Any:
    """Returns a configuration that runs the graph as it is: optimizing it again for each run takes half the time."""
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def _weighted(tf: Any, outputs: Dict[str, Any]) -> Any:
    terms = []
    for name in sorted(outputs):
        if outputs[name].dtype in (tf.float32, tf.float64):
            # The weights are tensors, since shapes may be known only when the graph runs.
            flat = tf.cast(tf.reshape(outputs[name], [-1]), tf.float32)
            terms.append(tf.reduce_sum(flat * tf.cos(tf.range(tf.cast(tf.size(flat), tf.float32)) + 1.0)))
    return tf.add_n(terms) if terms else None


def _assigned(tf: Any, variable: Any) -> Any:
    if variable.dtype.base_dtype not in (tf.float32, tf.float64):
        return None
    value = values(variable.shape.as_list(), variable.name, 0.5).astype(variable.dtype.base_dtype.as_numpy_dtype)
    if "variance" in variable.name:
        value = np.abs(value) + 0.5
    return variable.assign(value)


def record(part: str, cases: Dict[str, Callable[[Any], Dict[str, Any]]], tf: Any = None) -> None:
    """Runs all cases of `part` on TensorFlow 1.15, or on the older `tf`, and writes reference/PART.npz."""
    index: Dict[str, Any] = {}
    numbers = b""  # all arrays, concatenated: an entry of a zip file is larger than most of them
    for name, case in cases.items():
        print(name, flush=True)
        result = run(case, tf, tf)
        index[name] = {"facts": result.facts, "arrays": {}}
        for key, value in result.arrays.items():
            array = np.ascontiguousarray(value)
            index[name]["arrays"][key] = [array.dtype.str, list(np.shape(value)), len(numbers)]
            numbers += array.tobytes()
    text = json.dumps(index, sort_keys=True).encode()
    path = os.path.join(FOLDER, part + ".npz")
    np.savez_compressed(path, index=np.frombuffer(text, np.uint8), numbers=np.frombuffer(numbers, np.uint8))


def recorded(part: str, case: str) -> Record:
    """Returns the recording of one case."""
    with np.load(os.path.join(FOLDER, part + ".npz"), allow_pickle=False) as stored:
        entry = json.loads(stored["index"].tobytes().decode())[case]
        numbers = stored["numbers"].tobytes()
    arrays = {}
    for key, (dtype, shape, start) in entry["arrays"].items():
        array = np.frombuffer(numbers, dtype, int(np.prod(shape, dtype=np.int64)), start) if 0 not in shape else []
        arrays[key] = np.asarray(array, dtype).reshape(shape)
    return Record(entry["facts"], arrays)


def _as_static_as(shape: str, other: str) -> str:
    """Returns the static `shape` "(3, 2)" with the dimensions unknown that are unknown in `other`, "(?, 2)"."""
    sizes, others = shape.strip("(),").split(", "), other.strip("(),").split(", ")
    if other == "<unknown>" or len(sizes) != len(others):
        return other if other == "<unknown>" else shape
    kept = ["?" if theirs == "?" else ours for ours, theirs in zip(sizes, others)]
    return "({}{})".format(", ".join(kept), "," if other.endswith(",)") else "")


def differences(found: Record, expected: Record, relative: float = 2e-6, absolute: float = 1e-6) -> List[str]:
    """Returns the differences, a line for each; the bounds are for float32."""
    lines = []
    facts = json.loads(json.dumps(found.facts))
    for key, value in expected.facts.items():
        if key == "outputs":
            facts[key] = {
                name: [dtype, _as_static_as(shape, value.get(name, ["", ""])[1])]
                for name, (dtype, shape) in facts[key].items()
            }
        if facts[key] != value:
            lines.append("{}: {} instead of {}".format(key, facts[key], value))
    for key in sorted(set(found.arrays) | set(expected.arrays)):
        if key not in found.arrays or key not in expected.arrays:
            lines.append("{}: only in {}".format(key, "the recording" if key in expected.arrays else "this run"))
            continue
        one, other = np.asarray(found.arrays[key]), np.asarray(expected.arrays[key])
        if one.shape != other.shape:
            lines.append("{}: shape {} instead of {}".format(key, one.shape, other.shape))
        elif one.dtype.kind == "f":
            if not np.allclose(one, other, rtol=relative, atol=absolute * max(1.0, np.max(np.abs(other), initial=0.0))):
                lines.append("{}: off by {}".format(key, np.max(np.abs(one - other))))
        elif not np.array_equal(one, other):
            lines.append("{}: {} instead of {}".format(key, one, other))
    return lines
