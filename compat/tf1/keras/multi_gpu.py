"""tf.keras.utils.multi_gpu_model, which TensorFlow dropped in 2.4: a batch is split over GPUs that share variables."""
import collections
from typing import Any, List, Sequence, Union

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.versions import tf


def multi_gpu_model(
    model: Any, gpus: Union[int, Sequence[int]], cpu_merge: bool = True, cpu_relocation: bool = False
) -> Any:
    """Returns a tf.keras.Model with the inputs, outputs and variables of `model` that calls it once per GPU.

        batch of 5 on 2 GPUs    examples 0 1    -> model on /gpu:0 \
                                examples 2 3 4  -> model on /gpu:1 -> concatenated: 5 outputs

    Args:
      model: a tf.keras.Model.
      gpus: the number of GPUs, or a list of their indices; at least two.
      cpu_merge: whether to concatenate the outputs on the CPU; otherwise on the first GPU.
      cpu_relocation: whether to copy the model, so that its variables are on the CPU.

    Raises:
      ValueError: `gpus` has fewer than two GPUs, or the machine lacks one of them. Under `legacy-towers run` logical
        CPU devices replace those that it lacks.
    """
    numbers = list(gpus) if isinstance(gpus, (list, tuple)) else list(range(gpus))  # type: ignore[arg-type]
    if len(numbers) < 2:
        raise ValueError("multi_gpu_model needs at least two GPUs, got gpus={}".format(gpus))
    _check_gpus(numbers)
    if cpu_relocation:
        with tf.device("/cpu:0"):
            model = tf.keras.models.clone_model(model)
    outputs_per_gpu: List[List[Any]] = [[] for _ in model.outputs]
    for position, number in enumerate(numbers):
        with tf.device("/gpu:{}".format(number)), tf.keras.backend.name_scope("replica_{}".format(number)):
            inputs = [_slice(each, position, len(numbers)) for each in model.inputs]
            outputs = model(inputs if len(inputs) > 1 else inputs[0])
        for parts, output in zip(outputs_per_gpu, outputs if isinstance(outputs, (list, tuple)) else [outputs]):
            parts.append(output)
    with tf.device("/cpu:0" if cpu_merge else "/gpu:{}".format(numbers[0])):
        names = _unique_names(model.output_names)
        merged = [tf.keras.layers.concatenate(parts, axis=0, name=name) for name, parts in zip(names, outputs_per_gpu)]
    return tf.keras.Model(model.inputs, merged)


def _slice(batch: Any, position: int, parts: int) -> Any:
    """Returns the output of a layer that takes one GPU's examples; the last slice includes the remainder."""

    def part(examples: Any) -> Any:
        size = tf.shape(examples)[0] // parts
        begin = position * size
        return examples[begin:] if position == parts - 1 else examples[begin : begin + size]

    return tf.keras.layers.Lambda(part, output_shape=tuple(batch.shape.as_list()[1:]))(batch)


def _unique_names(names: Sequence[str]) -> List[str]:
    """Returns `names` with numbers after those that occur more than once: layers of a model need unique names."""
    count, seen = collections.Counter(names), collections.Counter()  # type: ignore[var-annotated]
    unique = []
    for name in names:
        seen[name] += 1
        unique.append("{}_{}".format(name, seen[name]) if count[name] > 1 else name)
    return unique


def _check_gpus(numbers: Sequence[int]) -> None:
    if user_script.running() is not None:
        return
    available = _gpu_count()
    missing = ["/gpu:{}".format(number) for number in numbers if number >= available]
    if missing:
        raise ValueError(
            "multi_gpu_model: this machine lacks {} (it has {} GPUs). Under `legacy-towers run` logical CPU devices "
            "replace them".format(", ".join(missing), available)
        )


def _gpu_count() -> int:
    return len(tf.config.experimental.list_physical_devices("GPU"))
