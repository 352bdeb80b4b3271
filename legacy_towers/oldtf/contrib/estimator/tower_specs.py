"""Batches split over towers, and the towers' EstimatorSpecs made one."""
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator import export
from legacy_towers.oldtf.estimator.spec import EstimatorSpec


def split(batch: Any, count: int) -> List[Any]:
    """Returns `count` equal parts of a tensor, or of name -> tensor; Nones of None.

    Raises:
      ValueError: the rows can't be divided by `count`.
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
    """Returns the tensor in which the numbers of a gradient are."""
    return gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient


def sum_on(values: Sequence[Any], device: str, name: Optional[str] = None) -> Any:
    """Returns the sum of tensors or of IndexedSlices, made on `device`."""
    with tf.device(device):
        if not any(isinstance(value, tf.IndexedSlices) for value in values):
            return tf.add_n(list(values), name=name)
        if not all(isinstance(value, tf.IndexedSlices) for value in values):
            return tf.add_n([tf.convert_to_tensor(value) for value in values], name=name)
        rows = tf.concat([value.values for value in values], axis=0)
        numbers = tf.concat([value.indices for value in values], axis=0)
        return tf.IndexedSlices(rows, numbers, values[0].dense_shape)


def of_training(specs: Sequence[EstimatorSpec], device: str) -> EstimatorSpec:
    """Returns the spec that runs the last tower's train op, which applies all towers' gradients."""
    return specs[-1]._replace(loss=sum_on([spec.loss for spec in specs], device, "loss"))


def of_evaluation(specs: Sequence[EstimatorSpec], device: str) -> EstimatorSpec:
    """Returns the first tower's spec, whose metrics count what all towers saw."""
    updates = [update for spec in specs for _, update in spec.eval_metric_ops.values()]
    with tf.control_dependencies([update for update in updates]):
        gathered = _gather_metric_variables(len(specs))
    metrics = {name: (value, gathered) for name, (value, _) in specs[0].eval_metric_ops.items()}
    return specs[0]._replace(loss=sum_on([spec.loss for spec in specs], device, "loss"), eval_metric_ops=metrics)


def _gather_metric_variables(count: int) -> Any:
    """Returns an op that adds the counters of all towers to the first one's and sets theirs to 0."""
    variables = tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)
    if len(variables) % count:
        raise ValueError(
            "Different `EstimatorSpec.eval_metric_ops` across `model_fn()` calls: {} towers have {} local "
            "variables.".format(count, len(variables))
        )
    each = len(variables) // count
    emptied = []
    for first in range(each):
        others = variables[first + each :: each]
        with tf.control_dependencies([tf.assign_add(variables[first], tf.add_n([tf.identity(one) for one in others]))]):
            emptied += [tf.assign(one, tf.zeros_like(one)).op for one in others]
    return tf.group(*emptied)


def of_prediction(specs: Sequence[EstimatorSpec], device: str) -> EstimatorSpec:
    """Returns the spec whose predictions and outputs are those of all towers, one behind the other."""
    with tf.device(device):
        predictions = _joined([spec.predictions for spec in specs])
        outputs = {
            name: _joined_outputs([(spec.export_outputs or {})[name] for spec in specs])
            for name in specs[0].export_outputs or ()
        }
    return specs[0]._replace(predictions=predictions, export_outputs=outputs or None)


def _joined(values: Sequence[Any]) -> Any:
    if isinstance(values[0], dict):
        return {name: _joined([value[name] for value in values]) for name in values[0]}
    return tf.concat(list(values), axis=0)


def _joined_outputs(outputs: Sequence[Any]) -> Any:
    first = outputs[0]
    makers: Dict[type, Callable[[], Any]] = {
        export.PredictOutput: lambda: export.PredictOutput(_joined([one.outputs for one in outputs])),
        export.RegressionOutput: lambda: export.RegressionOutput(_joined([one.value for one in outputs])),
        export.ClassificationOutput: lambda: export.ClassificationOutput(
            scores=None if first.scores is None else _joined([one.scores for one in outputs]),
            classes=None if first.classes is None else _joined([one.classes for one in outputs]),
        ),
    }
    return makers[type(first)]()
