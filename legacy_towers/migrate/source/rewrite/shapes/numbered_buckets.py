"""tf.contrib.training.bucket, whose examples come with the number of their bucket, as group_by_window.

Its elements are (bucket, example), with what keep_input is, if that chooses examples.
"""
from typing import Any, List

import libcst as cst

from legacy_towers.migrate.source.rewrite.names import dotted, names_of
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant, Given, check_given

NAME = "tf.contrib.training.bucket"
PARAMETERS = (
    "tensors", "which_bucket", "batch_size", "num_buckets", "num_threads", "capacity", "bucket_capacities", "shapes",
    "dynamic_pad", "allow_smaller_final_batch", "keep_input", "shared_name", "name",
)
PARTS = ("bucket", "example")
# Names of parameters in what is written.
_OWN = PARTS + ("window",)


def lines_of(given: Given, scope: Scope, tf: str, dataset: str, rest: str) -> List[str]:
    """Returns the statements that batch a dataset of (bucket, example) by the bucket.

    Args:
      given: parameter -> expression.
      scope: where the statements stand.
      tf: what TensorFlow is called there.
      dataset: the name of the variable.
      rest: the option of Dataset.batch for a smaller final batch, "" for one.

    Raises:
      Cant: no dataset is the same.
    """
    check_given(given, ("tensors", "which_bucket", "batch_size", "num_buckets"))
    if names_of(given["batch_size"], given["num_buckets"]).read & set(_OWN):
        raise Cant("its sizes are computed with {}, names that are needed for tf.data".format(" or ".join(_OWN)))
    size, count = scope.code(given["batch_size"]), scope.code(given["num_buckets"])
    is_list = isinstance(scope.resolved(given["batch_size"]), (cst.List, cst.Tuple, cst.ListComp))
    if is_list or scope.is_list(given["batch_size"]) or not scope.is_constant(given["batch_size"]) and (
        size.endswith("s")
    ):
        raise Cant("its buckets have batches of several sizes, or may have: write it as "
                   "tf.data.experimental.group_by_window with a window_size_func")
    pads = literal(given["dynamic_pad"]) if "dynamic_pad" in given else "False"
    if pads not in ("True", "False"):
        raise Cant("whether it pads (dynamic_pad) is known only when the script runs")
    batch = "padded_batch({}, {}.data.get_output_shapes(window)".format(size, tf) if pads == "True" else (
        "batch({}".format(size))
    lines = []
    if not _is_below(scope.resolved(given["which_bucket"]), count, scope):
        # Examples of other buckets are in no batch.
        lines.append("{0} = {0}.filter(lambda bucket, example: {1}.logical_and(bucket >= 0, bucket < {2}))".format(
            dataset, tf, count))
    return lines + ["\n".join([
        "{0} = {0}.apply({1}.data.experimental.group_by_window(".format(dataset, tf),
        "    lambda bucket, example: {0}.cast(bucket, {0}.int64),".format(tf),
        "    lambda bucket, window: window.{}{}),".format(batch, rest),
        "    {}))".format(size),
    ]), "{0} = {0}.map(lambda bucket, example: (bucket[0], example))".format(dataset)]


def _is_below(bucket: Any, count: str, scope: Scope) -> bool:
    """Returns whether a bucket is a remainder of a division by the number of buckets."""
    if isinstance(bucket, cst.BinaryOperation) and isinstance(bucket.operator, cst.Modulo):
        return scope.code(bucket.right) == count
    if isinstance(bucket, cst.Call) and dotted(bucket.func).rpartition(".")[2] in ("mod", "floormod"):
        return len(bucket.args) == 2 and scope.code(bucket.args[1].value) == count
    return False
