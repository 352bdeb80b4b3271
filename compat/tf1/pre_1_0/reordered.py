"""Functions whose arguments TensorFlow 1.0 reordered; the types of the arguments distinguish the orders.

    tf.concat(1, [a, b])                 an axis first: tf.concat([a, b], 1)
    tf.split(1, 3, x)                    a tensor last: tf.split(x, 3, 1)
    tf.reverse(x, [False, True])         booleans: tf.reverse(x, [1])
    tf.image.resize_images(x, 32, 48)    two integers: tf.image.resize_images(x, [32, 48])
    tf.nn.nce_loss(w, b, inputs, labels, ...)    floats before integers
    tf.nn.softmax_cross_entropy_with_logits(logits, labels)    1.x accepts these by name only
    tf.image.random_crop(image, [24, 24])    a size without channels: tf.random_crop(image, [24, 24, channels])

Calls in the order of 1.x are passed to TensorFlow unchanged. In two losses the reordered arguments have the same type:
these use the order of 1.x, and report it.
"""
import functools
import numbers
from typing import Any, Callable, Dict, Tuple

import numpy as np

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.versions import tf


def _is_scalar(value: Any) -> bool:
    """Returns whether `value` is an integer of Python or numpy, a tf.Dimension, or a scalar integer tensor."""
    if isinstance(value, bool):
        return False
    if isinstance(value, (numbers.Integral, np.integer, tf.Dimension)):
        return True
    return isinstance(value, (tf.Tensor, tf.Variable)) and value.shape.ndims == 0 and value.dtype.base_dtype.is_integer


def _dtype(value: Any) -> Any:
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return value.dtype.base_dtype
    return tf.as_dtype(np.asarray(value).dtype)


def _are_booleans(value: Any) -> bool:
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return bool(value.dtype.base_dtype == tf.bool)
    values = np.asarray(value)
    return values.dtype == np.bool_ and values.size > 0


@functools.wraps(tf.concat)
def concat(*arguments: Any, **keywords: Any) -> Any:
    if "concat_dim" in keywords:
        keywords["axis"] = keywords.pop("concat_dim")
        user_script.report_replacement("tf.concat(concat_dim=axis, ...)", "tf.concat(values, axis)")
    elif arguments and _is_scalar(arguments[0]):
        if len(arguments) > 1 and not _is_scalar(arguments[1]):
            arguments = (arguments[1], arguments[0]) + arguments[2:]
            user_script.report_replacement("tf.concat(axis, values)", "tf.concat(values, axis)")
        elif len(arguments) == 1 and "values" in keywords:
            keywords["axis"], arguments = arguments[0], ()
            user_script.report_replacement("tf.concat(axis, values)", "tf.concat(values, axis)")
    return tf.concat(*arguments, **keywords)


@functools.wraps(tf.split)
def split(*arguments: Any, **keywords: Any) -> Any:
    # The order before 1.0: split_dim, num_split, value, name.
    names = ("split_dim", "num_split", "value", "name")
    last_is_value = len(arguments) > 2 and not _is_scalar(arguments[2])
    is_old = arguments and _is_scalar(arguments[0]) and (last_is_value or "value" in keywords)
    given = dict(zip(names, arguments), **keywords)
    # If one of them is missing, tf.split raises the error.
    if (is_old or "split_dim" in keywords or "num_split" in keywords) and set(names[:3]) <= set(given):
        user_script.report_replacement("tf.split(axis, number, value)", "tf.split(value, number, axis)")
        return tf.split(given["value"], given["num_split"], given["split_dim"], name=given.get("name", "split"))
    return tf.split(*arguments, **keywords)


@functools.wraps(tf.reverse)
def reverse(tensor: Any, *arguments: Any, **keywords: Any) -> Any:
    if "dims" in keywords:
        arguments = (keywords.pop("dims"),) + arguments
    if arguments and _are_booleans(arguments[0]):
        user_script.report_replacement(
            "tf.reverse(tensor, booleans)", "tf.reverse(tensor, axes), with the axes that are true"
        )
        name = keywords.get("name", arguments[1] if len(arguments) > 1 else None)
        return tf.raw_ops.Reverse(tensor=tensor, dims=arguments[0], name=name)
    return tf.reverse(tensor, *arguments, **keywords)


@functools.wraps(tf.sparse_split)
def sparse_split(*arguments: Any, **keywords: Any) -> Any:
    if arguments:  # 1.x accepts all of them by name only
        keywords.update(zip(("split_dim", "num_split", "sp_input", "name"), arguments))
        keywords["axis"] = keywords.pop("split_dim")
        user_script.report_replacement(
            "tf.sparse_split(axis, number, value)", "tf.sparse_split(axis=axis, num_split=number, sp_input=value)"
        )
    return tf.sparse_split(**keywords)


@functools.wraps(tf.image.resize_images)
def resize_images(images: Any, *arguments: Any, **keywords: Any) -> Any:
    names = ("new_height", "new_width", "method", "align_corners")
    given = dict(zip(names, arguments), **keywords)
    is_old = arguments and _is_scalar(arguments[0]) or "new_height" in keywords
    if is_old and "new_width" in given:
        keywords = {name: given[name] for name in given if name not in names[:2]}
        arguments = ([given["new_height"], given["new_width"]],)
        user_script.report_replacement(
            "tf.image.resize_images(images, height, width)", "tf.image.resize_images(images, [height, width])"
        )
    return tf.image.resize_images(images, *arguments, **keywords)


@functools.wraps(tf.image.random_crop)
def random_crop(value: Any, size: Any, *arguments: Any, **keywords: Any) -> Any:
    image = tf.convert_to_tensor(value)
    if image.shape.ndims == 3 and tf.convert_to_tensor(size).shape.as_list() == [2]:
        user_script.report_replacement(
            "tf.image.random_crop(image, [height, width])", "tf.random_crop(image, [height, width, channels])"
        )
        size = tf.concat([tf.cast(size, tf.int32), tf.shape(image)[2:]], 0)
        cropped = tf.random_crop(image, size, *arguments, **keywords)
        # Keeps the static number of channels.
        cropped.set_shape(cropped.shape[:2].concatenate(image.shape[2:]))
        return cropped
    return tf.image.random_crop(value, size, *arguments, **keywords)


@functools.wraps(tf.convert_to_tensor)
def convert_to_tensor(value: Any, *arguments: Any, **keywords: Any) -> Any:
    arguments, as_ref = _without_as_ref(arguments, keywords)
    if as_ref and hasattr(value, "_ref"):  # a reference to the variable, which can be assigned to
        return value._ref()
    return tf.convert_to_tensor(value, *arguments, **keywords)


@functools.wraps(tf.convert_to_tensor_or_indexed_slices)
def convert_to_tensor_or_indexed_slices(value: Any, *arguments: Any, **keywords: Any) -> Any:
    arguments, as_ref = _without_as_ref(arguments, keywords)
    if as_ref and hasattr(value, "_ref"):
        return value._ref()
    return tf.convert_to_tensor_or_indexed_slices(value, *arguments, **keywords)


def _without_as_ref(arguments: Tuple[Any, ...], keywords: Dict[str, Any]) -> Tuple[Tuple[Any, ...], bool]:
    """Removes `as_ref`, the third argument after the value, from the arguments, and returns both."""
    if len(arguments) > 2 and isinstance(arguments[2], bool):
        return arguments[:2] + arguments[3:], arguments[2]
    return arguments, bool(keywords.pop("as_ref", False))


def _labels_third(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Returns `function`(weights, biases, labels, inputs, ...), changed to accept inputs before labels too."""

    @functools.wraps(function)
    def by_type(*arguments: Any, **keywords: Any) -> Any:
        if len(arguments) > 3 and _dtype(arguments[2]).is_floating and _dtype(arguments[3]).is_integer:
            arguments = arguments[:2] + (arguments[3], arguments[2]) + arguments[4:]
            user_script.report_replacement(
                name + "(weights, biases, inputs, labels)", name + "(weights, biases, labels, inputs)"
            )
        return function(*arguments, **keywords)

    return by_type


nce_loss = _labels_third(tf.nn.nce_loss, "tf.nn.nce_loss")
sampled_softmax_loss = _labels_third(tf.nn.sampled_softmax_loss, "tf.nn.sampled_softmax_loss")


@functools.wraps(tf.nn.ctc_loss)
def ctc_loss(*arguments: Any, **keywords: Any) -> Any:
    if len(arguments) > 1 and isinstance(arguments[1], tf.SparseTensor):
        arguments = (arguments[1], arguments[0]) + arguments[2:]
        user_script.report_replacement("tf.nn.ctc_loss(inputs, labels, ...)", "tf.nn.ctc_loss(labels, inputs, ...)")
    return tf.nn.ctc_loss(*arguments, **keywords)


def _labels_first(function: Callable[..., Any], name: str, old: str, new: str) -> Callable[..., Any]:
    """Returns `function`, changed to report that the first two arguments by position are in the order of 1.x."""

    @functools.wraps(function)
    def of_1_x(*arguments: Any, **keywords: Any) -> Any:
        if len(arguments) > 1:
            replacement = "{}({}, ...), the order of 1.x; before 1.0 it was ({}, ...): pass them by name"
            user_script.report_replacement("{}(x, y, ...)".format(name), replacement.format(name, new, old))
        return function(*arguments, **keywords)

    return of_1_x


log_poisson_loss = _labels_first(
    tf.nn.log_poisson_loss, "tf.nn.log_poisson_loss", "log_input=x, targets=y", "targets=x, log_input=y"
)
weighted_cross_entropy_with_logits = _labels_first(
    tf.nn.weighted_cross_entropy_with_logits,
    "tf.nn.weighted_cross_entropy_with_logits",
    "logits=x, targets=y",
    "targets=x, logits=y",
)


def _logits_first(function: Callable[..., Any], name: str, *more: str) -> Callable[..., Any]:
    """Returns the cross entropy `function`, changed to accept logits, labels and `more` by position.

    In 1.x the first argument is `_sentinel`, which must be None, followed by labels and logits.
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
            user_script.report_replacement(
                "{}(logits, labels)".format(name), "{}(labels=labels, logits=logits)".format(name)
            )
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

