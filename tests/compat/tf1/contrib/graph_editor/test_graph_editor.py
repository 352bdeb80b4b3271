"""tf.contrib.graph_editor changes graphs as TensorFlow 1.15 does."""
import numpy as np
import pytest
from tf1_cases.contrib import graph_editor_runs as runs

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.contrib import graph_editor as ge

IS_1_15 = tf.__version__.startswith("1.15")


def check(found, recorded):
    assert sorted(found) == sorted(recorded)
    for key in recorded:
        if key in ("number", "again"):
            for value, expected in zip(found[key], recorded[key]):
                np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6, err_msg=key)
        else:
            assert found[key] == recorded[key], key


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(runs.RUNS))
def test_run_matches_tensorflow_1_15(name):
    check(runs.run(ge, name), runs.recorded(name))


@pytest.mark.recorded
@pytest.mark.skipif(not IS_1_15, reason="only TensorFlow 1.15 has tf.contrib.graph_editor itself")
@pytest.mark.parametrize("name", sorted(runs.RUNS))
def test_recording_matches_tensorflows_own_graph_editor(name):
    check(runs.run(tf.contrib.graph_editor, name), runs.recorded(name))


def test_recomputed_gradients_equal_the_original_ones():
    results = runs.run(ge, "checkpointed")
    for gradient, recomputed in zip(results["number"], results["again"]):
        np.testing.assert_allclose(gradient, recomputed, rtol=1e-5)
    # Only the ops after the checkpointed tensor are copied.
    assert [name for name in results["copied"] if "product" in name] == ["again/product2", "again/product3"]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda a, b: ge.reroute_ts([a], [b, b]), ValueError, "different sizes: 1 != 2"),
        (lambda a, b: ge.reroute_ts([a], [tf.cast(b, tf.int32)]), ValueError, "Dtypes"),
        (lambda a, b: ge.swap_ts([a], [tf.zeros([3])]), ValueError, "Shapes"),
        (lambda a, b: ge.make_list_of_op([a]), TypeError, "Expected a type in"),
        (lambda a, b: ge.make_list_of_t([a, b.op]), TypeError, "Expected a type in"),
        (lambda a, b: ge.remove_control_inputs(a.op, b.op), ValueError, "is not a control_input of"),
        (lambda a, b: ge.sgv("x"), ValueError, "'graph'"),
        (lambda a, b: ge.sgv(a.op, b.op).remap_inputs([0, 0]), ValueError, "repetition"),
        (lambda a, b: ge.graph_replace(a, {b: a}), ValueError, "not connected"),
        (lambda a, b: ge.copy([a.op], src_scope="far"), ValueError, "does not belong to source scope"),
        (lambda a, b: ge.select_ops(a.op, grahp=1), ValueError, "grahp"),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    start = tf.constant([1.0, 2.0], name="start")
    with pytest.raises(error, match=message):
        call(tf.square(start, name="one"), tf.negative(start, name="two"))
