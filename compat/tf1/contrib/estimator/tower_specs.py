"""Splits batches over towers, and merges the EstimatorSpecs of towers."""
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat.tf1.estimator.export import receivers
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf


def split(batch: Any, count: int) -> List[Any]:
    """Splits a batch along its first dimension.

    Args:
      batch: a tensor, a SparseTensor, name -> tensor, or None.
      count: the number of parts.

    Returns:
      A list of `count` equal parts, each like `batch`.

    Raises:
      ValueError: the batch size is not divisible by `count`.
    """
    if batch is None:
        return [None] * count
    if isinstance(batch, dict):
        parts = {name: split(tensor, count) for name, tensor in batch.items()}
        return [{name: of_name[number] for name, of_name in parts.items()} for number in range(count)]
    if isinstance(batch, tf.SparseTensor):
        return list(tf.sparse_split(sp_input=batch, num_split=count, axis=0))
    rows = tf.convert_to_tensor(batch).shape[0]
    rows = getattr(rows, "value", rows)
    if rows is not None and rows % count:
        raise ValueError("Batch size {} needs to be divisible by the number of GPUs, which is {}.".format(rows, count))
    return tf.split(batch, count)


def values_of(gradient: Any) -> Any:
    """Returns the values of a gradient, a dense tensor or IndexedSlices, as a tensor."""
    return gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient


def sum_on(values: Sequence[Any], device: str, name: Optional[str] = None) -> Any:
    """Returns the sum of tensors or IndexedSlices, computed on `device`; IndexedSlices if all values are."""
    with tf.device(device):
        if not any(isinstance(value, tf.IndexedSlices) for value in values):
            return tf.add_n(list(values), name=name)
        if not all(isinstance(value, tf.IndexedSlices) for value in values):
            return tf.add_n([tf.convert_to_tensor(value) for value in values], name=name)
        rows = tf.concat([value.values for value in values], axis=0)
        indices = tf.concat([value.indices for value in values], axis=0)
        return tf.IndexedSlices(rows, indices, values[0].dense_shape)


def merge_training(specs: Sequence[EstimatorSpec], device: str) -> EstimatorSpec:
    """Returns the spec of training: the last tower's train op applies the gradients of all towers."""
    return specs[-1]._replace(loss=sum_on([spec.loss for spec in specs], device, "loss"))


def merge_evaluation(specs: Sequence[EstimatorSpec], device: str) -> EstimatorSpec:
    """Returns the spec of evaluation: the metrics of the first tower, over the examples of all towers."""
    updates = [update for spec in specs for _, update in spec.eval_metric_ops.values()]
    with tf.control_dependencies(updates):
        gathered = _gather_metric_variables(len(specs))
    metrics = {name: (value, gathered) for name, (value, _) in specs[0].eval_metric_ops.items()}
    return specs[0]._replace(loss=sum_on([spec.loss for spec in specs], device, "loss"), eval_metric_ops=metrics)


def _gather_metric_variables(count: int) -> Any:
    """Returns an op that adds the metric variables of all towers to those of the first, and resets the others to 0."""
    variables = tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)
    if len(variables) % count:
        raise ValueError(
            "Different `EstimatorSpec.eval_metric_ops` across `model_fn()` calls: {} towers have {} local "
            "variables.".format(count, len(variables))
        )
    per_tower = len(variables) // count
    resets = []
    for first in range(per_tower):
        others = variables[first + per_tower :: per_tower]
        with tf.control_dependencies([tf.assign_add(variables[first], tf.add_n([tf.identity(one) for one in others]))]):
            resets += [tf.assign(one, tf.zeros_like(one)).op for one in others]
    return tf.group(*resets)


def merge_prediction(specs: Sequence[EstimatorSpec], device: str) -> EstimatorSpec:
    """Returns the spec of prediction: the predictions and outputs of all towers, concatenated."""
    with tf.device(device):
        predictions = _concatenated([spec.predictions for spec in specs])
        outputs = {
            name: _concatenated_outputs([(spec.export_outputs or {})[name] for spec in specs])
            for name in specs[0].export_outputs or ()
        }
    return specs[0]._replace(predictions=predictions, export_outputs=outputs or None)


def _concatenated(values: Sequence[Any]) -> Any:
    if isinstance(values[0], dict):
        return {name: _concatenated([value[name] for value in values]) for name in values[0]}
    return tf.concat(list(values), axis=0)


def _concatenated_outputs(outputs: Sequence[Any]) -> Any:
    first = outputs[0]
    makers: Dict[type, Callable[[], Any]] = {
        receivers.PredictOutput: lambda: receivers.PredictOutput(_concatenated([one.outputs for one in outputs])),
        receivers.RegressionOutput: lambda: receivers.RegressionOutput(_concatenated([one.value for one in outputs])),
        receivers.ClassificationOutput: lambda: receivers.ClassificationOutput(
            scores=None if first.scores is None else _concatenated([one.scores for one in outputs]),
            classes=None if first.classes is None else _concatenated([one.classes for one in outputs]),
        ),
    }
    return makers[type(first)]()
