"""Compares ops of tf.image, tf.nn, tf.math, tf.linalg, tf.losses, tf.layers and tf on two TensorFlows.

    python tests/benchmarks/op_differences.py record 1.15.json      with each TensorFlow: runs all calls of `op_calls`
    python tests/benchmarks/op_differences.py compare 1.15.json 2.21.json

A call is tried with inputs of each dtype, as numpy arrays, and as placeholders whose shape is known, whose sizes are
unknown, or whose rank is unknown too; with float32 and float64 also with inputs whose first size is 0. The names are
those that a script gets under `legacy-towers run`.
"""
import base64
import json
import os
import sys
import warnings
from typing import Any, Dict, List, Tuple

import numpy as np
from op_calls import INPUTS, Call, calls

from legacy_towers.compat import tf as installed
from legacy_towers.compat.tf1 import tree

# How a call is tried: (dtype, kind of the inputs, whether their first size is 0).
VARIANTS = (
    ("float32", "numpy", False), ("float32", "known", False), ("float32", "sizes", False), ("float32", "rank", False),
    ("float64", "numpy", False), ("float64", "sizes", False), ("uint8", "numpy", False), ("uint8", "rank", False),
    ("int32", "known", False), ("int32", "rank", False), ("int64", "known", False), ("float16", "known", False),
    ("float32", "known", True), ("float32", "sizes", True),
)  # fmt: skip


def record(path: str, only: str = "") -> None:
    """Runs all calls on the TensorFlow that is installed, and writes what each gives."""
    tf = tree.module("tensorflow")
    installed.logging.set_verbosity(installed.logging.ERROR)
    warnings.simplefilter("ignore")
    found: Dict[str, Any] = {"version": installed.__version__, "results": {}}
    for call in calls():
        if only in call.text:
            found["results"]["{} {}".format(", ".join(call.inputs), call.text)] = _in_own_process(tf, call)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(found, file, indent=0)


def _in_own_process(tf: Any, call: Call) -> Dict[str, Any]:
    """Returns the results of a call from a fork of this process, since TensorFlow may abort its process."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(writes, "w") as file:
            json.dump(_results(tf, call), file)
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {name: {"error": "the process is aborted"} for name, *_ in _variants(call)}


def _variants(call: Call) -> List[Tuple[str, str, str, bool]]:
    """Returns (name, dtype, kind, whether the first size is 0) of each way to try a call."""
    has_dtype = any(INPUTS[each][1] in ("any", "positive", "boxes") for each in call.inputs)
    found = [each for each in VARIANTS if has_dtype or each[0] == "float32" and not each[2]]
    return [("{} {}{}".format(*each[:2], " empty" if each[2] else ""), *each) for each in found]


def _results(tf: Any, call: Call) -> Dict[str, Any]:
    found = {}
    for name, dtype, kind, empty in _variants(call):
        # In a graph of its own: TensorFlow 2 places all operations of a graph, those that are not run too.
        with tf.Graph().as_default():
            try:
                result, feeds = _built(tf, call, dtype, kind, empty)
            except Exception as error:
                found[name] = {"error": "build: {}: {}".format(type(error).__name__, str(error)[:300])}
                continue
            try:
                with tf.Session(config=_config(tf)) as session:
                    session.run(tf.global_variables_initializer())
                    found[name] = _ran(tf, session, result, feeds)
            except Exception as error:
                found[name] = {"error": "run: {}: {}".format(type(error).__name__, _last(str(error)))}
    return found


def _last(message: str) -> str:
    """Returns the end of TensorFlow's message: it begins with the stack of the operation."""
    return message.split("Node: ")[-1][:300]


def _config(tf: Any) -> Any:
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    # Optimizing the graph takes most of the time.
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    return config


def _built(tf: Any, call: Call, dtype: str, kind: str, empty: bool) -> Tuple[Any, Dict[Any, Any]]:
    names, feeds = {"tf": tf, "checked": lambda op, x: _checked(tf, op, x)}, {}
    for letter, each in zip("xyz", call.inputs):
        value = _value(each, dtype, letter)
        if empty and value.ndim:
            value = value[:0]
        if kind == "numpy":
            names[letter] = value
            continue
        shape = {"known": value.shape, "sizes": [None] * value.ndim, "rank": None}[kind]
        kind_of_values = tf.string if value.dtype == object else value.dtype
        names[letter] = tf.placeholder(kind_of_values, shape)
        feeds[names[letter]] = value
    return eval(call.text, names), feeds


def _checked(tf: Any, op: Any, x: Any) -> Any:
    """Returns x once the check `op` has run."""
    with tf.control_dependencies([op] if op is not None else []):
        return tf.identity(x)


def _value(name: str, dtype: str, letter: str) -> Any:
    shape, values = INPUTS[name]
    count = int(np.prod(shape)) if shape else 1
    if values == "any":
        order = (np.arange(count) * 7 + ord(letter)) % 11
        order = order.reshape(shape)
        return (order * 0.09).astype(dtype) if dtype.startswith("float") else (order % 7).astype(dtype)
    if values == "positive":
        base = np.eye(3) * 3 + np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
        return (np.zeros(shape) + base).astype(dtype)
    if values == "boxes":
        base = np.array([[0.0, 0.0, 0.5, 0.5], [0.1, 0.1, 0.6, 0.6], [0.5, 0.5, 1.0, 1.0]])
        return (np.zeros(shape) + base).astype(dtype)
    if values == "ids":
        return (np.arange(count) % 3).astype(np.int32).reshape(shape)
    if values == "permutation":
        return np.array([2, 0, 1], np.int32)
    if values == "flags":
        return (np.arange(count) % 2 == 0).reshape(shape)
    if values == "words":
        return np.array([b"a b", b"ca", b" d"], object)
    if values == "numerals":
        return np.array([b"1.5", b"2", b"3"], object)
    return np.array(_encoded(values), object)


def _encoded(kind: str) -> bytes:
    """Returns a small image file."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "op_images.json")
    with open(here, encoding="utf-8") as file:
        return base64.b64decode(json.load(file)[kind])


def _ran(tf: Any, session: Any, result: Any, feeds: Dict[Any, Any]) -> Any:
    parts = _parts(tf, result)
    fetched = [each for each in parts if isinstance(each, (tf.Tensor, tf.Operation))]
    values = iter(session.run(fetched, feeds))
    return {"parts": [_described(each, next(values)) if isinstance(each, (tf.Tensor, tf.Operation)) else {
        "value": repr(each)} for each in parts]}


def _parts(tf: Any, result: Any) -> List[Any]:
    if isinstance(result, tf.SparseTensor):
        return [result.indices, result.values, result.dense_shape]
    if isinstance(result, (list, tuple)):
        return [part for each in result for part in _parts(tf, each)]
    if isinstance(result, np.ndarray):
        return [result.tolist()]
    return [result]


def _described(part: Any, value: Any) -> Dict[str, Any]:
    if value is None:
        return {"value": None}
    shape = part.shape.as_list() if part.shape.ndims is not None else None
    value = np.asarray(value)
    plain = value.astype("complex128").view("float64") if value.dtype.kind == "c" else value
    if plain.dtype.kind in "OSU":
        listed = [str(each)[:80] for each in plain.ravel().tolist()]
    elif plain.dtype.kind == "f":
        listed = ["{:.7g}".format(float(each)) for each in plain.ravel()]
    else:
        listed = [int(each) for each in plain.ravel()]
    return {"static": shape, "dtype": part.dtype.name, "shape": list(value.shape), "value": listed}


def compare(first: str, second: str) -> int:
    """Prints what the calls of `second` give otherwise than those of `first`, and returns how many calls differ."""
    with open(first, encoding="utf-8") as file:
        old = json.load(file)
    with open(second, encoding="utf-8") as file:
        new = json.load(file)
    counts = {"calls": len(old["results"]), "tried": 0, "ran on {}".format(old["version"]): 0, "differ": 0}
    differ = 0
    for call, results in old["results"].items():
        lines: Dict[str, List[str]] = {}
        for variant, before in results.items():
            counts["tried"] += 1
            if "error" in before:
                continue
            counts["ran on {}".format(old["version"])] += 1
            why = _difference(before, new["results"].get(call, {}).get(variant, {"error": "not tried"}))
            if why:
                counts["differ"] += 1
                lines.setdefault(why, []).append(variant)
        differ += bool(lines)
        for why, variants in lines.items():
            print("{}\n    {}\n    {}".format(call, why, ", ".join(variants)))
    print(", ".join("{}: {}".format(*each) for each in counts.items()), "calls that differ:", differ)
    return differ


def _difference(before: Any, after: Any) -> str:
    if "error" in after:
        return after["error"].replace("\n", " ")[:220]
    if len(before["parts"]) != len(after["parts"]):
        return "{} results, were {}".format(len(after["parts"]), len(before["parts"]))
    for old, new in zip(before["parts"], after["parts"]):
        if old == new:
            continue
        for key in ("dtype", "shape"):
            if old.get(key) != new.get(key):
                return "{} is {}, was {}".format(key, new.get(key), old.get(key))
        if not _close(old, new):
            return "values are {}, were {}".format(str(new["value"])[:80], str(old["value"])[:80])
        if _known(old.get("static")) > _known(new.get("static")):
            return "static shape is {}, was {}".format(new.get("static"), old.get("static"))
    return ""


def _known(shape: Any) -> int:
    return -1 if shape is None else sum(size is not None for size in shape)


def _close(old: Any, new: Any) -> bool:
    if old["value"] == new["value"]:
        return True
    tolerance = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-7, "complex64": 2e-5}.get(old.get("dtype", ""))
    if tolerance is None or not isinstance(old["value"], list):
        return False
    one, other = (np.array([float(each) for each in part["value"]]) for part in (old, new))
    return bool(np.allclose(one, other, tolerance, tolerance, equal_nan=True))


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record(sys.argv[2], (sys.argv[3:] or [""])[0])
    else:
        sys.exit(1 if compare(sys.argv[2], sys.argv[3]) else 0)
