"""tf.contrib.training.bucket_by_sequence_length as group_by_window, or as that of tf.data.

Its elements are (length, example), with what keep_input is, if that chooses examples.
"""
from typing import List

import libcst as cst

from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant, Given, check_given

NAME = "tf.contrib.training.bucket_by_sequence_length"
PARAMETERS = (
    "input_length", "tensors", "batch_size", "bucket_boundaries", "num_threads", "capacity", "bucket_capacities",
    "shapes", "dynamic_pad", "allow_smaller_final_batch", "keep_input", "shared_name", "name",
)
PARTS = ("length", "example")
# Names of parameters in what is written.
_OWN = PARTS + ("bucket", "window")
# Longer lists of boundaries get a name.
_LONGEST = 30


def lines_of(given: Given, scope: Scope, tf: str, dataset: str, rest: str) -> List[str]:
    """Returns the statements that batch a dataset of (length, example) by length.

    Batches have a static size where those of the queues have one: `group_by_window` has the size as a number of Python,
    and tf.data's `bucket_by_sequence_length` as a tensor.

    Args:
      given: parameter -> expression.
      scope: where the statements stand.
      tf: what TensorFlow is called there.
      dataset: the name of the variable.
      rest: the option of Dataset.batch for a smaller final batch, "" for one.

    Raises:
      Cant: no dataset is the same.
    """
    check_given(given, ("input_length", "tensors", "batch_size", "bucket_boundaries"))
    size, boundaries = scope.code(given["batch_size"]), scope.code(given["bucket_boundaries"])
    lines = []
    is_plain = isinstance(given["bucket_boundaries"], (cst.Name, cst.Attribute)) or (
        isinstance(given["bucket_boundaries"], (cst.List, cst.Tuple)) and len(boundaries) <= _LONGEST)
    if not is_plain or names_of(given["bucket_boundaries"]).read & set(_OWN):
        name = scope.fresh("bucket_boundaries", "boundaries")
        lines, boundaries = ["{} = {}".format(name, boundaries)], name
    if names_of(given["batch_size"]).read & set(_OWN):
        raise Cant("its batch_size is computed with {}, a name that is needed for tf.data".format(" or ".join(_OWN)))
    is_list = scope.is_list(given["batch_size"])
    if not is_list and not scope.is_constant(given["batch_size"]) and size.endswith("s"):
        raise Cant("whether its batch_size is a number or a list is known only when the script runs")
    if is_list or not rest:
        number = _number_of_buckets(given["bucket_boundaries"], boundaries)
        sizes = size if is_list else "[{}] * {}".format(size, number)
        return lines + ["\n".join([
            "{0} = {0}.apply({1}.data.experimental.bucket_by_sequence_length(".format(dataset, tf),
            "    lambda length, example: length, {}, {}{}))".format(boundaries, sizes, rest),
        ])]
    return lines + ["\n".join([
        "{0} = {0}.apply({1}.data.experimental.group_by_window(".format(dataset, tf),
        "    lambda length, example: {0}.reduce_sum({0}.cast(length >= {1}, {0}.int64)),".format(tf, boundaries),
        "    lambda bucket, window: window.padded_batch(",
        "        {}, {}.data.get_output_shapes(window){}),".format(size, tf, rest),
        "    {}))".format(size),
    ])]


def _number_of_buckets(boundaries: cst.BaseExpression, written: str) -> str:
    """Returns the expression of the number of buckets, a number where the boundaries are written as a list."""
    if not written.isidentifier() and isinstance(boundaries, (cst.List, cst.Tuple)) and not any(
        isinstance(each, cst.StarredElement) for each in boundaries.elements
    ):
        return str(len(boundaries.elements) + 1)
    return "(len({}) + 1)".format(written)
