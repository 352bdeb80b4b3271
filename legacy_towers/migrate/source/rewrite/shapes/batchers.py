"""tf.train.batch, shuffle_batch, their joins and those with keep_input as filter, shuffle, batch and prefetch."""
from typing import Any, Dict, List, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes import buckets, numbered_buckets
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant, Given, refuse_shared

_END = ("enqueue_many", "shapes", "dynamic_pad", "allow_smaller_final_batch", "shared_name", "name")
_SHUFFLED_END = ("seed", "enqueue_many", "shapes", "allow_smaller_final_batch", "shared_name", "name")
PARAMETERS: Dict[str, Tuple[str, ...]] = {
    "tf.train.batch": ("tensors", "batch_size", "num_threads", "capacity") + _END,
    "tf.train.batch_join": ("tensors_list", "batch_size", "capacity") + _END,
    "tf.train.shuffle_batch": ("tensors", "batch_size", "capacity", "min_after_dequeue", "num_threads") + _SHUFFLED_END,
    "tf.train.shuffle_batch_join": ("tensors_list", "batch_size", "capacity", "min_after_dequeue") + _SHUFFLED_END,
    "tf.train.maybe_batch": ("tensors", "keep_input", "batch_size", "num_threads", "capacity") + _END,
    "tf.train.maybe_shuffle_batch": (
        "tensors", "batch_size", "capacity", "min_after_dequeue", "keep_input", "num_threads") + _SHUFFLED_END,
    "tf.train.maybe_batch_join": ("tensors_list", "keep_input", "batch_size", "capacity") + _END,
    "tf.train.maybe_shuffle_batch_join": (
        "tensors_list", "batch_size", "capacity", "min_after_dequeue", "keep_input") + _SHUFFLED_END,
    buckets.NAME: buckets.PARAMETERS,
    numbered_buckets.NAME: numbered_buckets.PARAMETERS,
}
# Batchers by bucket.
_BUCKETS = {buckets.NAME: buckets, numbered_buckets.NAME: numbered_buckets}


def lines_of(name: str, given: Given, scope: Scope, tf: str, dataset: str, prefetches: bool) -> List[str]:
    """Returns the statements that shuffle and batch a dataset of examples.

    Args:
      name: the name of the batcher's function.
      given: parameter -> expression.
      scope: where the statements stand.
      tf: what TensorFlow is called there.
      dataset: the name of the variable.
      prefetches: whether the next batch is made while one is used.

    Raises:
      Cant: no dataset is the same.
    """
    refuse_shared(given)
    lines = []
    if chooses(given):
        parts = _BUCKETS[name].PARTS if name in _BUCKETS else ("example",)
        lines.append("{0} = {0}.filter(lambda {1}, keep: keep)".format(dataset, ", ".join(parts)))
        lines.append("{0} = {0}.map(lambda {1}, keep: {2})".format(
            dataset, ", ".join(parts), parts[0] if len(parts) == 1 else "({})".format(", ".join(parts))))
    if "shuffle" in name:
        # Examples are drawn from as many as the queue has when it is full, which it is while readers keep up.
        seed = ", seed={}".format(scope.code(given["seed"])) if literal(given.get("seed")) != "None" and (
            "seed" in given
        ) else ""
        lines.append("{0} = {0}.shuffle({1}{2})".format(dataset, scope.code(given["capacity"]), seed))
    rest = given.get("allow_smaller_final_batch")
    options = ""
    if rest is None or literal(rest) == "False":
        options = ", drop_remainder=True"
    elif literal(rest) != "True":
        options = ", drop_remainder={}".format(_opposite(rest, scope))
    if name in _BUCKETS:
        lines += _BUCKETS[name].lines_of(given, scope, tf, dataset, options)
        return lines + (["{0} = {0}.prefetch(1)".format(dataset)] if prefetches else [])
    size = scope.code(given["batch_size"])
    pads = literal(given["dynamic_pad"]) if "dynamic_pad" in given else "False"
    if pads == "True":
        lines.append("{0} = {0}.padded_batch({1}, {2}.data.get_output_shapes({0}){3})".format(
            dataset, size, tf, options
        ))
    elif pads == "False":
        lines.append("{0} = {0}.batch({1}{2})".format(dataset, size, options))
    else:
        raise Cant("whether it pads (dynamic_pad) is known only when the script runs")
    if prefetches:
        lines.append("{0} = {0}.prefetch(1)".format(dataset))
    return lines


def chooses(given: Given) -> bool:
    """Returns whether a batcher takes only some of the examples, by its keep_input."""
    return "keep_input" in given and literal(given["keep_input"]) != "True"


def _opposite(node: Any, scope: Scope) -> str:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return scope.code(node.expression)
    text = scope.code(node)
    return "not {}".format(text if text.isidentifier() else "({})".format(text))


def threads_of(given: Given, scope: Scope) -> str:
    """Returns the expression of the number of threads, "" if it is one."""
    threads = given.get("num_threads")
    if threads is None or literal(scope.resolved(threads)) == "1":
        return ""
    return scope.code(threads)
