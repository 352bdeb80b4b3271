"""tf.contrib.tfprof.ProfileContext; on TensorFlow 1.15 the same tests check TensorFlow's own."""
import os

import pytest
from tensorflow.core.profiler import tfprof_log_pb2

from legacy_towers.compat import tf


def _product():
    return tf.matmul(tf.get_variable("weights", [2, 3]), tf.ones([3, 2]), name="product")


def _run(product, times):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(times):
            session.run(product)


def test_disabled_context_has_no_effect(tmp_path):
    with tf.contrib.tfprof.ProfileContext(None, enabled=False) as context:
        context.add_auto_profiling("op", {}, [1])
        context.trace_next_step()
        _run(_product(), 1)
    assert context.profiler is None


def test_steps_are_traced_profiled_and_written(tmp_path):
    options = tf.profiler.ProfileOptionBuilder(tf.profiler.ProfileOptionBuilder.time_and_memory(min_micros=0))
    options = options.with_empty_output().build()
    folder = str(tmp_path / "profiles")
    with tf.contrib.tfprof.ProfileContext(folder, trace_steps=[1, 3], dump_steps=[3]) as context:
        context.add_auto_profiling("op", options, [2])
        context.add_auto_profiling("scope", options, [2])
        # Run 0 initializes variables.
        _run(_product(), 4)
    assert os.listdir(folder) == ["profile_3"]
    written = tfprof_log_pb2.ProfileProto.FromString((tmp_path / "profiles" / "profile_3").read_bytes())
    assert "product" in {node.name for node in written.nodes.values()}
    assert sorted(written.steps) == [1, 2, 3]
    profiles = context.get_profiles("op")
    assert list(profiles) == [2]
    assert "MatMul" in _names(profiles[2])
    with pytest.raises(ValueError, match="No autoprofiler"):
        context.get_profiles("graph")


def _names(node):
    return {node.name}.union(*(_names(child) for child in node.children))


def test_default_steps_start_after_ten_runs(tmp_path):
    with tf.contrib.tfprof.ProfileContext(str(tmp_path), debug=True, dump_steps=[]):
        _run(_product(), 12)
    assert "run_meta_11" in os.listdir(str(tmp_path))
    assert "run_meta_10" not in os.listdir(str(tmp_path))


def test_trace_next_step_and_no_tracing_outside_of_the_context(tmp_path):
    product = _product()
    before = tf.Session.run
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with tf.contrib.tfprof.ProfileContext(str(tmp_path), trace_steps=[], dump_steps=[]) as context:
            session.run(product)
            context.trace_next_step()
            context.dump_next_step()
            session.run(product)
            session.run(product)
    assert os.listdir(str(tmp_path)) == ["profile_1"]
    assert tf.Session.run is before


def test_invalid_arguments_raise(tmp_path):
    with pytest.raises(ValueError, match="Must have a directory"):
        tf.contrib.tfprof.ProfileContext("")
    with pytest.raises(ValueError, match="up to 100 steps"):
        tf.contrib.tfprof.ProfileContext(str(tmp_path), trace_steps=range(101))
