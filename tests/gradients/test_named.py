"""Reductions by their names: what each text makes, in order; what is refused, and in which words."""
import numpy as np
import pytest

from legacy_towers import gradients as reductions
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.named import REDUCTIONS, check_reduction, make_reduction

MADE = {
    "mean": "mean()",
    "mean:variable": "mean(on='variable')",
    "mean:/cpu:1": "mean(on='/cpu:1')",
    "mean:/cpu:1,/cpu:3": "mean(on=['/cpu:1', '/cpu:3'])",
    "sum": "sum()",
    "sum:variable": "sum(on='variable')",
    "tree": "tree()",
    "tree:variable": "tree(on='variable')",
    "collective": "collective()",
    "nccl": "nccl()",
    "packed": "packed(mean())",
    "packed:65536": "packed(mean(), bucket_bytes=65536)",
    "packed:8MiB+tree": "packed(tree(), bucket_bytes=8388608)",
    "packed:500KB+sum": "packed(sum(), bucket_bytes=500000)",
    "packed+collective": "packed(collective())",
    "compacted": "compacted(mean())",
    "compacted:float16": "compacted(mean())",
    "compacted:bfloat16+packed:8MB+tree": "compacted(packed(tree(), bucket_bytes=8000000), dtype=tf.bfloat16)",
    "packed+compacted": "packed(compacted(mean()))",
    "clip_by_norm:1+mean": "chain(clip_by_norm(1.0), mean())",
    "mean+clip_by_global_norm:5": "chain(mean(), clip_by_global_norm(5.0))",
    "clip_by_value:-1,0.5+packed+tree+deferred": "chain(clip_by_value(-1.0, 0.5), packed(tree()), deferred())",
    "missing:zeros+densify+mean": "chain(missing('zeros'), densify(), mean())",
    "packed+accumulate:4": "chain(packed(mean()), accumulate(4))",
    "mean+add_noise:0.1": "chain(mean(), add_noise(0.1))",
    "mean+add_noise:0.1,0.55": "chain(mean(), add_noise(0.1, gamma=0.55))",
    "scale:1024+compacted+scale:1e-3+check_numerics": (
        "chain(scale(1024.0), compacted(mean()), scale(0.001), check_numerics())"
    ),
    "loss_scale:1024+mean": "chain(loss_scale(1024.0), mean())",
}


@pytest.mark.parametrize("text", sorted(MADE))
def test_what_a_text_makes(text):
    assert repr(make_reduction(text)) == MADE[text]
    check_reduction(text, "--reduction")


@pytest.mark.parametrize("text, initial", [("dynamic_loss_scale+mean", 2**15), ("dynamic_loss_scale:64+mean", 64)])
def test_a_dynamic_loss_scale(text, initial):
    assert make_reduction(text).parts[0].initial == initial


REFUSED = {
    "means": "there is no reduction 'means': there are 'mean', 'sum', 'tree'",
    "packed+tre": "there is no reduction 'tre' .in 'packed.tre'.: there are",
    "": "the reduction '' has no word at all: there are 'mean', 'sum'",
    "mean+": "the reduction 'mean.' has no word on one side of a ...: there are 'mean', 'sum'",
    "packed+": "the reduction 'packed.' has no word on one side of a",
    "+mean": "the reduction '.mean' has no word on one side of a",
    "mean+tree": "has more than one thing that makes .* one .'mean', 'tree'.: let it have exactly one of 'mean', 'sum'",
    "packed+deferred+mean": "more than one thing .* .'packed', 'mean'.*'packed', 'compacted' go around the one right",
    "clip_by_norm:1": "'clip_by_norm:1' has nothing that makes the towers' gradients one: let it have exactly one of",
    "mean:": "the reduction 'mean:': 'mean' takes 'variable', or devices with commas",
    "mean:/banana": "on is '/banana': allowed are 'spread', 'variable', a device",
    "mean:somewhere": "'mean' takes 'variable', or devices with commas between them",
    "collective:sum": "'collective' takes nothing behind it",
    "packed:lots": "the reduction 'packed:lots': 'packed' takes a bucket's size, such as 4MiB, 500KB or 65536",
    "packed:0": "bucket_bytes is 0",
    "packed:-1": "'packed' takes a bucket's size",
    "compacted:float64": "'compacted' takes float16 or bfloat16 behind",
    "mean+clip_by_norm": "'clip_by_norm' takes a number, such as 1.0 behind",
    "mean+clip_by_norm:much": "'clip_by_norm' takes a number",
    "mean+clip_by_norm:1,2": "'clip_by_norm' takes a number",
    "mean+clip_by_norm:-1": "norm is -1.0: it must be more than 0",
    "mean+clip_by_value:1": "'clip_by_value' takes the lowest and the highest value, such as -1,1",
    "mean+accumulate": "the reduction 'mean.accumulate' has 'accumulate': 'accumulate' takes a number of steps",
    "mean+accumulate:1.5": "'accumulate' takes a number of steps",
    "mean+deferred:1": "'deferred' takes nothing behind it",
    "missing:guess+mean": "on_missing is 'guess': allowed are 'error', 'zeros', 'drop'",
    "missing+mean": "'missing' takes one of 'error', 'zeros', 'drop'",
}


@pytest.mark.parametrize("text", sorted(REFUSED))
def test_what_is_refused(text):
    with pytest.raises(ArgumentError, match=REFUSED[text]):
        make_reduction(text)
    with pytest.raises(ArgumentError, match="^--reduction: .*" + REFUSED[text]):
        check_reduction(text, "--reduction")


@pytest.mark.parametrize("dtype, bound", [(tf.float32, 1e-6), (tf.float64, 1e-14)], ids=["float32", "float64"])
def test_a_comparisons_reductions_give_the_mean_on_any_machine(dtype, bound):
    """Compacted ones within 3 roundings to float16, 2 ** -11 each, of the largest value."""
    draw = np.random.RandomState(2)
    towers, shapes = 4, [[30, 20], [20], []]
    values = [[draw.normal(size=shape).astype(dtype.as_numpy_dtype) for shape in shapes] for _ in range(towers)]
    devices = ["/cpu:{}".format(tower) for tower in range(towers)]
    variables = [tf.get_variable("v{}".format(i), shape, dtype) for i, shape in enumerate(shapes)]
    tower_grads = []
    for tower, device in enumerate(devices):
        with tf.device(device):
            tower_grads.append(
                [(tf.placeholder_with_default(value, value.shape), v) for value, v in zip(values[tower], variables)]
            )
    results = [reductions.reduce_gradients(tower_grads, make_reduction(text), devices) for text in REDUCTIONS]
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": towers})) as session:
        found = session.run([[row.gradients[0] for row in result.rows] for result in results])
    for text, of_text in zip(REDUCTIONS, found):
        allowed = 3 * 2.0**-11 if "compacted" in text else bound
        for position, gradient in enumerate(of_text):
            of_towers = np.array([of_tower[position] for of_tower in values], np.float64)
            largest = np.abs(of_towers).max()
            assert np.abs(gradient - of_towers.mean(axis=0)).max() <= allowed * largest, (text, position)
