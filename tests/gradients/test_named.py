"""Reductions made from specs, and the errors for invalid specs."""
import numpy as np
import pytest

from legacy_towers import gradients as reductions
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.named import MAKERS, make_reduction
from legacy_towers.specs.reductions import GRAMMAR, REDUCTIONS, check_reduction

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
    "bucketed": "bucketed(mean())",
    "bucketed:65536": "bucketed(mean(), bucket_bytes=65536)",
    "bucketed:8MiB+tree": "bucketed(tree(), bucket_bytes=8388608)",
    "bucketed:500KB+sum": "bucketed(sum(), bucket_bytes=500000)",
    "bucketed+collective": "bucketed(collective())",
    "compressed": "compressed(mean())",
    "compressed:float16": "compressed(mean())",
    "compressed:bfloat16+bucketed:8MB+tree": "compressed(bucketed(tree(), bucket_bytes=8000000), dtype=tf.bfloat16)",
    "bucketed+compressed": "bucketed(compressed(mean()))",
    "clip_by_norm:1+mean": "chain(clip_by_norm(1.0), mean())",
    "mean+clip_by_global_norm:5": "chain(mean(), clip_by_global_norm(5.0))",
    "clip_by_value:-1,0.5+bucketed+tree+delayed": "chain(clip_by_value(-1.0, 0.5), bucketed(tree()), delayed())",
    "missing:zeros+densify+mean": "chain(missing('zeros'), densify(), mean())",
    "bucketed+accumulate:4": "chain(bucketed(mean()), accumulate(4))",
    "mean+add_noise:0.1": "chain(mean(), add_noise(0.1))",
    "mean+add_noise:0.1,0.55": "chain(mean(), add_noise(0.1, gamma=0.55))",
    "scale:1024+compressed+scale:1e-3+check_numerics": (
        "chain(scale(1024.0), compressed(mean()), scale(0.001), check_numerics())"
    ),
    "loss_scale:1024+mean": "chain(loss_scale(1024.0), mean())",
}


@pytest.mark.parametrize("text", sorted(MADE))
def test_make_reduction(text):
    assert repr(make_reduction(text)) == MADE[text]
    check_reduction(text, "--reduction")


@pytest.mark.parametrize("text, initial", [("dynamic_loss_scale+mean", 2**15), ("dynamic_loss_scale:64+mean", 64)])
def test_make_reduction_of_a_dynamic_loss_scale(text, initial):
    assert make_reduction(text).members[0].initial == initial


def test_each_name_of_the_specs_has_a_maker():
    assert list(MAKERS) == list(GRAMMAR.terms)


REFUSED = {
    "means": "there is no reduction 'means', did you mean 'mean'. The names are 'mean', 'sum', 'tree'",
    "bucketed+tre": "there is no reduction 'tre' .in 'bucketed.tre'., did you mean 'tree'. The names are",
    "": "the reduction '' is empty: the names are 'mean', 'sum'",
    "mean+": "the reduction 'mean.' ends in ...: the names are 'mean', 'sum'",
    "bucketed+": "the reduction 'bucketed.' ends in",
    "+mean": "the reduction '.mean' begins with",
    "mean+tree": "more than one member that reduces .* one .'mean', 'tree'.: it needs exactly one of 'mean', 'sum'",
    "bucketed+delayed+mean": "more than one member .* .'bucketed', 'mean'.*'bucketed', 'compressed' wrap the one that",
    "clip_by_norm:1": "'clip_by_norm:1' has no member that reduces the towers' gradients to one: it needs exactly one",
    "mean:": "the reduction 'mean:': after \":\", 'mean' takes 'variable', or devices separated by commas",
    "mean:/banana": "'mean' takes 'variable', or devices separated by commas, such as /gpu:0,/gpu:1$",
    "mean:somewhere": "'mean' takes 'variable', or devices separated by commas",
    "collective:sum": "'collective' takes no \":\"",
    "bucketed:lots": "'bucketed:lots': after \":\", 'bucketed' takes a bucket's size, such as 4MiB, 500KB or 65536",
    "bucketed:0": "'bucketed' takes a bucket's size",
    "bucketed:-1": "'bucketed' takes a bucket's size",
    "compressed:float64": "'compressed' takes float16 or bfloat16$",
    "mean+clip_by_norm": "'clip_by_norm' takes a number above 0, such as 1.0$",
    "mean+clip_by_norm:much": "'clip_by_norm' takes a number",
    "mean+clip_by_norm:1,2": "'clip_by_norm' takes a number",
    "mean+clip_by_norm:-1": "'clip_by_norm' takes a number above 0",
    "mean+clip_by_norm:nan": "'clip_by_norm' takes a number above 0",
    "mean+clip_by_value:1": "'clip_by_value' takes the lowest and the highest value, such as -1,1",
    "mean+clip_by_value:1,-1": "'clip_by_value' takes the lowest and the highest value, such as -1,1",
    "mean+scale:inf": "'scale' takes a number, such as 0.5",
    "mean+add_noise:0.1,0": "'add_noise' takes a standard deviation",
    "dynamic_loss_scale:0.5+mean": "'dynamic_loss_scale' takes the first scale, at least 1",
    "loss_scale:0+mean": "'loss_scale' takes a number above 0",
    "mean+accumulate": "'accumulate' .in 'mean.accumulate'.: after ..., 'accumulate' takes a number of steps",
    "mean+accumulate:1.5": "'accumulate' takes a number of steps",
    "mean+accumulate:0": "'accumulate' takes a number of steps",
    "mean+delayed:1": "'delayed' takes no",
    "missing:guess+mean": "'missing' takes one of 'error', 'zeros', 'drop'$",
    "missing+mean": "'missing' takes one of 'error', 'zeros', 'drop'",
}


@pytest.mark.parametrize("text", sorted(REFUSED))
def test_check_reduction_rejects_invalid_specs(text):
    with pytest.raises(ArgumentError, match=REFUSED[text]):
        make_reduction(text)
    with pytest.raises(ArgumentError, match="^--reduction: .*" + REFUSED[text]):
        check_reduction(text, "--reduction")


@pytest.mark.parametrize("dtype, bound", [(tf.float32, 1e-6), (tf.float64, 1e-14)], ids=["float32", "float64"])
def test_the_default_reductions_of_a_comparison_compute_the_mean(dtype, bound):
    """Compressed ones are within 3 roundings to float16, 2 ** -11 each, of the largest value."""
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
        allowed = 3 * 2.0**-11 if "compressed" in text else bound
        for position, gradient in enumerate(of_text):
            of_towers = np.array([of_tower[position] for of_tower in values], np.float64)
            largest = np.abs(of_towers).max()
            assert np.abs(gradient - of_towers.mean(axis=0)).max() <= allowed * largest, (text, position)
