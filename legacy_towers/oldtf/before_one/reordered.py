"""Functions whose arguments TensorFlow 1.0 put into another order: the old order is told by the types.

    tf.concat(1, [a, b])                 an axis first: tf.concat([a, b], 1)
    tf.split(1, 3, x)                    a tensor last: tf.split(x, 3, 1)
    tf.reverse(x, [False, True])         truth values: tf.reverse(x, [1])
    tf.image.resize_images(x, 32, 48)    two numbers: tf.image.resize_images(x, [32, 48])
    tf.nn.nce_loss(w, b, inputs, labels, ...)    floats before integers
    tf.nn.softmax_cross_entropy_with_logits(logits, labels)    1.x takes these by name only

What is written in the order of 1.x goes to TensorFlow as it is.
"""
import functools
import numbers
from typing import Any, Callable

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf import current


def _is_scalar(value: Any) -> bool:
    """Returns whether `value` is one integer: of Python, numpy, a shape, or a tensor that is known to be one."""
    if isinstance(value, bool):
        return False
    if isinstance(value, (numbers.Integral, np.integer, tf.Dimension)):
        return True
    return isinstance(value, (tf.Tensor, tf.Variable)) and value.shape.ndims == 0 and value.dtype.base_dtype.is_integer


def _dtype(value: Any) -> Any:
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return value.dtype.base_dtype
    return tf.as_dtype(np.asarray(value).dtype)


def _are_truth_values(value: Any) -> bool:
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return bool(value.dtype.base_dtype == tf.bool)
    values = np.asarray(value)
    return values.dtype == np.bool_ and values.size > 0


@functools.wraps(tf.concat)
def concat(*arguments: Any, **keywords: Any) -> Any:
    if "concat_dim" in keywords:
        keywords["axis"] = keywords.pop("concat_dim")
        current.say_once("tf.concat(concat_dim=axis, ...)", "tf.concat(values, axis)")
    elif arguments and _is_scalar(arguments[0]):
        if len(arguments) > 1 and not _is_scalar(arguments[1]):
            arguments = (arguments[1], arguments[0]) + arguments[2:]
            current.say_once("tf.concat(axis, values)", "tf.concat(values, axis)")
        elif len(arguments) == 1 and "values" in keywords:
            keywords["axis"], arguments = arguments[0], ()
            current.say_once("tf.concat(axis, values)", "tf.concat(values, axis)")
    return tf.concat(*arguments, **keywords)


@functools.wraps(tf.split)
def split(*arguments: Any, **keywords: Any) -> Any:
    # The order before 1.0: split_dim, num_split, value, name.
    names = ("split_dim", "num_split", "value", "name")
    last_is_value = len(arguments) > 2 and not _is_scalar(arguments[2])
    is_old = arguments and _is_scalar(arguments[0]) and (last_is_value or "value" in keywords)
    given = dict(zip(names, arguments), **keywords)
    # What lacks one of them TensorFlow refuses, in its own words.
    if (is_old or "split_dim" in keywords or "num_split" in keywords) and set(names[:3]) <= set(given):
        current.say_once("tf.split(axis, number, value)", "tf.split(value, number, axis)")
        return tf.split(given["value"], given["num_split"], given["split_dim"], name=given.get("name", "split"))
    return tf.split(*arguments, **keywords)


@functools.wraps(tf.reverse)
def reverse(tensor: Any, *arguments: Any, **keywords: Any) -> Any:
    if "dims" in keywords:
        arguments = (keywords.pop("dims"),) + arguments
    if arguments and _are_truth_values(arguments[0]):
        current.say_once("tf.reverse(tensor, truth values)", "the axes at which they are true")
        name = keywords.get("name", arguments[1] if len(arguments) > 1 else None)
        return tf.raw_ops.Reverse(tensor=tensor, dims=arguments[0], name=name)
    return tf.reverse(tensor, *arguments, **keywords)


@functools.wraps(tf.sparse_split)
def sparse_split(*arguments: Any, **keywords: Any) -> Any:
    if arguments:  # 1.x takes all of them by name
        keywords.update(zip(("split_dim", "num_split", "sp_input", "name"), arguments))
        keywords["axis"] = keywords.pop("split_dim")
        current.say_once("tf.sparse_split(axis, number, value)", "tf.sparse_split by these names")
    return tf.sparse_split(**keywords)


@functools.wraps(tf.image.resize_images)
def resize_images(images: Any, *arguments: Any, **keywords: Any) -> Any:
    names = ("new_height", "new_width", "method", "align_corners")
    given = dict(zip(names, arguments), **keywords)
    is_old = arguments and _is_scalar(arguments[0]) or "new_height" in keywords
    if is_old and "new_width" in given:
        keywords = {name: given[name] for name in given if name not in names[:2]}
        arguments = ([given["new_height"], given["new_width"]],)
        current.say_once("tf.image.resize_images(images, height, width)", "one of (images, [height, width])")
    return tf.image.resize_images(images, *arguments, **keywords)


def _labels_third(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Returns `function`(weights, biases, labels, inputs, ...), which took the last two in the other order."""

    @functools.wraps(function)
    def by_type(*arguments: Any, **keywords: Any) -> Any:
        if len(arguments) > 3 and _dtype(arguments[2]).is_floating and _dtype(arguments[3]).is_integer:
            arguments = arguments[:2] + (arguments[3], arguments[2]) + arguments[4:]
            current.say_once(name + "(weights, biases, inputs, labels)", name + "(weights, biases, labels, inputs)")
        return function(*arguments, **keywords)

    return by_type


nce_loss = _labels_third(tf.nn.nce_loss, "tf.nn.nce_loss")
sampled_softmax_loss = _labels_third(tf.nn.sampled_softmax_loss, "tf.nn.sampled_softmax_loss")


@functools.wraps(tf.nn.ctc_loss)
def ctc_loss(*arguments: Any, **keywords: Any) -> Any:
    if len(arguments) > 1 and isinstance(arguments[1], tf.SparseTensor):
        arguments = (arguments[1], arguments[0]) + arguments[2:]
        current.say_once("tf.nn.ctc_loss(inputs, labels, ...)", "tf.nn.ctc_loss(labels, inputs, ...)")
    return tf.nn.ctc_loss(*arguments, **keywords)


def _logits_first(function: Callable[..., Any], name: str, *more: str) -> Callable[..., Any]:
    """Returns the cross entropy `function`, whose arguments without a name are the logits, the labels and `more`.

    Those of 1.x have a first argument `_sentinel`, which has to be None, before the labels and the logits.
    """

    @functools.wraps(function)
    def by_position(*arguments: Any, **keywords: Any) -> Any:
        if "targets" in keywords:
            keywords["labels"] = keywords.pop("targets")
        if keywords.get("_sentinel", 0) is None:
            del keywords["_sentinel"]
        if arguments and arguments[0] is None:
            keywords.update(zip(("labels", "logits") + more, arguments[1:]))
        elif arguments:
            current.say_once("{}(logits, labels)".format(name), "{}(labels=labels, logits=logits)".format(name))
            keywords.update(zip(("logits", "labels") + more, arguments))
        return function(**keywords)

    return by_position


softmax_cross_entropy_with_logits = _logits_first(
    tf.nn.softmax_cross_entropy_with_logits, "tf.nn.softmax_cross_entropy_with_logits", "dim", "name"
)
sparse_softmax_cross_entropy_with_logits = _logits_first(
    tf.nn.sparse_softmax_cross_entropy_with_logits, "tf.nn.sparse_softmax_cross_entropy_with_logits", "name"
)
sigmoid_cross_entropy_with_logits = _logits_first(
    tf.nn.sigmoid_cross_entropy_with_logits, "tf.nn.sigmoid_cross_entropy_with_logits", "name"
)

