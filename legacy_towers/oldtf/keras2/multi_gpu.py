"""tf.keras.utils.multi_gpu_model, which TensorFlow dropped in 2.4: one batch, split over copies of a model on GPUs."""
import collections
from typing import Any, List, Sequence, Union

from legacy_towers.compat import tf
from legacy_towers.oldtf import current


def multi_gpu_model(
    model: Any, gpus: Union[int, Sequence[int]], cpu_merge: bool = True, cpu_relocation: bool = False
) -> Any:
    """Returns a tf.keras.Model with the inputs, outputs and variables of `model`, which calls it once per GPU.

        batch of 5 on 2 GPUs    examples 0 1    -> model on /gpu:0 \
                                examples 2 3 4  -> model on /gpu:1 -> joined again: 5 outputs

    Args:
      gpus: how many, or their numbers; at least two.
      cpu_merge: join the outputs on the CPU, otherwise on the first GPU.
      cpu_relocation: make the variables anew, on the CPU.

    Raises:
      ValueError: fewer than two GPUs are asked for, or the machine lacks one of them. In a script that `legacy-towers
        run` runs it lacks none: logical CPU devices stand for them.
    """
    numbers = list(gpus) if isinstance(gpus, (list, tuple)) else list(range(gpus))  # type: ignore[arg-type]
    if len(numbers) < 2:
        raise ValueError("multi_gpu_model splits a batch over two GPUs or more, and was given gpus={}".format(gpus))
    _check_there(numbers)
    if cpu_relocation:
        with tf.device("/cpu:0"):
            model = tf.keras.models.clone_model(model)
    shares: List[List[Any]] = [[] for _ in model.outputs]
    for position, number in enumerate(numbers):
        with tf.device("/gpu:{}".format(number)), tf.keras.backend.name_scope("replica_{}".format(number)):
            inputs = [_share(each, position, len(numbers)) for each in model.inputs]
            outputs = model(inputs if len(inputs) > 1 else inputs[0])
        for share, output in zip(shares, outputs if isinstance(outputs, (list, tuple)) else [outputs]):
            share.append(output)
    with tf.device("/cpu:0" if cpu_merge else "/gpu:{}".format(numbers[0])):
        names = _without_repetition(model.output_names)
        joined = [tf.keras.layers.concatenate(share, axis=0, name=name) for name, share in zip(names, shares)]
    return tf.keras.Model(model.inputs, joined)


def _share(batch: Any, position: int, parts: int) -> Any:
    """Returns the layer's output of one part's examples; the last part has the rest too."""

    def part(examples: Any) -> Any:
        size = tf.shape(examples)[0] // parts
        begin = position * size
        return examples[begin:] if position == parts - 1 else examples[begin : begin + size]

    return tf.keras.layers.Lambda(part, output_shape=tuple(batch.shape.as_list()[1:]))(batch)


def _without_repetition(names: Sequence[str]) -> List[str]:
    """Returns `names`, those that come more than once with numbers: layers of one model have different names."""
    count, seen = collections.Counter(names), collections.Counter()  # type: ignore[var-annotated]
    different = []
    for name in names:
        seen[name] += 1
        different.append("{}_{}".format(name, seen[name]) if count[name] > 1 else name)
    return different


def _check_there(numbers: Sequence[int]) -> None:
    if current.running() is not None:
        return
    there = _count_of_gpus()
    missing = ["/gpu:{}".format(number) for number in numbers if number >= there]
    if missing:
        raise ValueError(
            "multi_gpu_model was given GPUs that this machine lacks: {} (it has {}). `legacy-towers run` puts logical "
            "CPU devices in their place".format(", ".join(missing), there)
        )


def _count_of_gpus() -> int:
    return len(tf.config.experimental.list_physical_devices("GPU"))
