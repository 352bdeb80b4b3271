"""Clipped gradients of each tower and of their mean, against numpy on dense gradients."""
import numpy as np
import pytest
from fed_towers import SHAPES, FedTowers, dense, dense_results, mean, random_steps, session

from legacy_towers import gradients as lt_gradients
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients import (
    GLOBAL_NORMS,
    chain,
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    reduce_gradients,
)


def by_value(gradients):
    return {name: np.clip(gradients[name], -0.5, 0.25) for name in gradients}


def by_norm(gradients):
    return {name: gradients[name] * min(1.0, 1.5 / np.linalg.norm(gradients[name])) for name in gradients}


def by_global_norm(gradients):
    norm = np.sqrt(sum(np.sum(np.square(gradients[name])) for name in gradients))
    return {name: gradients[name] * min(1.0, 1.5 / norm) for name in gradients}


KINDS = [
    pytest.param(clip_by_value(-0.5, 0.25), by_value, id="value"),
    pytest.param(clip_by_norm(1.5), by_norm, id="norm"),
    pytest.param(clip_by_global_norm(1.5), by_global_norm, id="global norm"),
]


def run(towers, reduced, step):
    with session() as running:
        found = running.run(dense_results(reduced), towers.feed(step))
    assert len(found) == 2 and all(len(of_row) == 1 for of_row in found)
    return {"w": found[0][0], "table": found[1][0]}


@pytest.mark.parametrize("clip, expected", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("towers", [1, 3])
def test_before_the_mean_each_towers_gradients_are_clipped(clip, expected, dtype, towers):
    (step,) = random_steps(1, 1, towers, dtype)
    # One tower has small gradients, which stay unchanged.
    step[0]["w"] *= dtype(0.01)
    step[0]["table"][0][:] *= dtype(0.01)
    fed = FedTowers(towers, dtype)
    found = run(fed, fed.reduce(chain(clip, lt_gradients.mean())), step)
    clipped = [expected(dense(of_tower)) for of_tower in step]
    for name in SHAPES:
        wanted = np.mean([of_tower[name] for of_tower in clipped], axis=0)
        np.testing.assert_allclose(found[name], wanted, rtol=1e-12 if dtype is np.float64 else 1e-5, atol=1e-7)
        assert found[name].dtype == dtype


@pytest.mark.parametrize("clip, expected", KINDS)
def test_after_the_mean_the_mean_is_clipped(clip, expected):
    (step,) = random_steps(2, 1, 3)
    for of_tower in step:
        of_tower["w"] *= 3
    fed = FedTowers(3)
    found = run(fed, fed.reduce(chain(lt_gradients.mean(), clip)), step)
    wanted = expected(mean(step))
    for name in SHAPES:
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-12)
    assert not np.allclose(wanted["w"], mean(step)["w"])


@pytest.mark.parametrize("clip, expected", KINDS)
def test_sparse_gradients_stay_sparse(clip, expected):
    fed = FedTowers(2)
    for reduction in (chain(clip, lt_gradients.mean()), chain(lt_gradients.mean(), clip)):
        row = fed.reduce(reduction).rows[1]
        assert row.name == "table" and isinstance(row.gradients[0], tf.IndexedSlices)


def test_repeated_rows_are_summed_before_clipping():
    """3 + 4 in one row: the norm is 7, not 5; and -4 + 4 is 0."""
    step = [{"w": np.zeros((2, 3)), "table": (np.float64([[3, -4], [4, 4]]), np.int64([2, 2]))}]
    for clip, wanted in [
        (clip_by_norm(3.5), [3.5, 0]), (clip_by_global_norm(3.5), [3.5, 0]), (clip_by_value(-3.0, 3.0), [3, 0])
    ]:
        with tf.Graph().as_default():
            fed = FedTowers(1)
            found = run(fed, fed.reduce(clip), step)
        np.testing.assert_allclose(found["table"][2], wanted, err_msg=repr(clip))


def test_norms_before_clipping_are_in_a_collection():
    (step,) = random_steps(3, 1, 2)
    fed = FedTowers(2)
    fed.reduce(chain(clip_by_global_norm(0.5), lt_gradients.mean(), clip_by_global_norm(0.25)))
    norms = tf.get_collection(GLOBAL_NORMS)
    assert [norm.op.name for norm in norms] == [
        "reduction/tower_0/global_norm", "reduction/tower_1/global_norm", "reduction/global_norm"
    ]
    with session() as running:
        found = running.run(norms, fed.feed(step))
    for value, of_tower in zip(found, step):
        np.testing.assert_allclose(value, np.sqrt(sum(np.sum(np.square(g)) for g in dense(of_tower).values())))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("where", ["w", "table"])
def test_all_gradients_are_nan_if_the_global_norm_is_not_finite(bad, where):
    """As tf.clip_by_global_norm does."""
    (step,) = random_steps(4, 1, 1)
    (step[0]["w"] if where == "w" else step[0]["table"][0])[0, 0] = bad
    fed = FedTowers(1)
    with session() as running:
        reduced = fed.reduce(clip_by_global_norm(1.0))
        theirs, _ = tf.clip_by_global_norm([fed.tower_grads[0][0][0], fed.tower_grads[0][1][0]], 1.0)
        w, slices = [row.gradients[0] for row in reduced.rows[:2]]
        found = running.run([w, slices.values, theirs[0], theirs[1].values], fed.feed(step))
    assert all(np.isnan(each).all() for each in found)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_gradient_without_a_finite_norm_becomes_nan_alone(bad):
    (step,) = random_steps(5, 1, 1)
    step[0]["w"][0, 0] = bad
    fed = FedTowers(1)
    found = run(fed, fed.reduce(clip_by_norm(1.0)), step)
    assert np.isnan(found["w"]).all() and np.isfinite(found["table"]).all()


def test_dense_gradients_match_tensorflows_functions():
    (step,) = random_steps(6, 1, 1)
    fed = FedTowers(1)
    w = fed.tower_grads[0][0][0]
    only_w = [[(w, fed.w)]]
    ours = [
        reduce_gradients(only_w, clip, fed.devices, scope=scope).rows[0].gradients[0]
        for scope, clip in [("a", clip_by_norm(0.7)), ("b", clip_by_global_norm(0.7)), ("c", clip_by_value(-0.1, 0.2))]
    ]
    theirs = [tf.clip_by_norm(w, 0.7), tf.clip_by_global_norm([w], 0.7)[0][0], tf.clip_by_value(w, -0.1, 0.2)]
    with session() as running:
        found, wanted = running.run([ours, theirs], fed.feed(step))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_mixed_dtypes_and_norms_beyond_the_range_of_float16():
    half = tf.get_variable("half", initializer=np.zeros(2, np.float16))
    double = tf.get_variable("double", initializer=np.zeros(2))
    pairs = [(tf.placeholder_with_default(np.float16([300, 400]), [2]), half),
             (tf.placeholder_with_default(np.float64([0, 1200]), [2]), double)]
    reduced = reduce_gradients([pairs], clip_by_global_norm(13.0), ["/cpu:0"])
    with session() as running:
        a, b = running.run([row.gradients[0] for row in reduced.rows])
    assert a.dtype == np.float16 and b.dtype == np.float64
    np.testing.assert_allclose(a, [3, 4], rtol=1e-3)
    np.testing.assert_allclose(b, [0, 12], rtol=1e-12)


def test_a_clipped_float16_gradient_is_not_rounded_by_a_16_bit_factor():
    """The factor is 2^-28, which float16 can't represent, but its product with float16's largest numbers."""
    half = tf.get_variable("half", initializer=np.zeros(4, np.float16))
    gradient = tf.placeholder_with_default(np.float16([2.0**15] * 4), [4])
    for reduction in (clip_by_norm(2.0**-12), clip_by_global_norm(2.0**-12)):
        reduced = reduce_gradients([[(gradient, half)]], reduction, ["/cpu:0"])
        with session() as running:
            assert running.run(reduced.rows[0].gradients[0]).tolist() == [2.0**-13] * 4


@pytest.mark.parametrize("make", [clip_by_norm, clip_by_global_norm], ids=lambda make: make.__name__)
@pytest.mark.parametrize("as_tensor", [False, True])
def test_an_infinite_bound_does_not_clip(make, as_tensor):
    (step,) = random_steps(8, 1, 1)
    step[0]["w"][:] = 0
    fed = FedTowers(1)
    infinity = tf.placeholder_with_default(np.inf, []) if as_tensor else np.inf
    reduced = fed.reduce(make(infinity))
    with session() as running:
        (w,), (table,) = running.run(dense_results(reduced), fed.feed(step))
    assert w.tolist() == step[0]["w"].tolist()
    np.testing.assert_allclose(table, dense(step[0])["table"], rtol=1e-14)


def test_bounds_may_be_tensors():
    (step,) = random_steps(7, 1, 1)
    fed = FedTowers(1)
    bound = tf.placeholder(tf.float32, [])
    reduced = fed.reduce(chain(clip_by_norm(bound), clip_by_global_norm(bound), clip_by_value(-bound, bound)))
    with session() as running:
        results = dense_results(reduced)
        found = running.run(results, fed.feed(step, {bound: 0.5}))
        zeros = running.run(results, fed.feed(step, {bound: 1e-30}))
    first = {name: g * min(1, 0.5 / np.linalg.norm(g)) for name, g in dense(step[0]).items()}
    second = {name: g * 0.5 / np.sqrt(sum(np.sum(h * h) for h in first.values())) for name, g in first.items()}
    np.testing.assert_allclose(found[0][0], second["w"], rtol=1e-6)
    np.testing.assert_allclose(found[1][0], second["table"], rtol=1e-6)
    assert np.abs(zeros[0][0]).max() <= 1e-30


def test_clip_by_value_that_excludes_zero_is_rejected_for_sparse_gradients():
    with pytest.raises(ArgumentError, match=r"clip_by_value\(0.5, 1.0\) .* 'table' is sparse.*densify\(\)"):
        FedTowers(1).reduce(clip_by_value(0.5, 1.0))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: clip_by_value(1.0, -1.0), "low must not be more than high"),
        (lambda: clip_by_value("a", 1.0), "low is 'a': it must be a number or a scalar tensor"),
        (lambda: clip_by_norm(0.0), "norm is 0.0: it must be more than 0"),
        (lambda: clip_by_norm(float("nan")), "norm is nan"),
        (lambda: clip_by_global_norm(-5), "norm is -5: it must be more than 0"),
        (lambda: clip_by_global_norm(tf.zeros([2])), r"norm is a tensor of shape \(2,\)"),
    ],
)
def test_invalid_bounds_are_rejected(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_a_repr_is_the_call():
    made = chain(clip_by_value(-1.0, 1.0), clip_by_norm(2.0), clip_by_global_norm(5.0))
    assert repr(made) == "chain(clip_by_value(-1.0, 1.0), clip_by_norm(2.0), clip_by_global_norm(5.0))"
