import json
import os
import warnings

import pytest

from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError
from legacy_towers.measure.step_ops import step_ops
from legacy_towers.measure.trace import TowerTrace, TraceHook

EXECUTOR = "/job:localhost/replica:0/task:0/device:"


def metadata_of(devices):
    """Returns a RunMetadata for {device: [(node name, label, start, end), ...]}, in nanoseconds."""
    metadata = tf.RunMetadata()
    for device, nodes in devices.items():
        device_stats = metadata.step_stats.dev_stats.add(device=device)
        for name, label, start, end in nodes:
            device_stats.node_stats.add(
                node_name=name, timeline_label=label, all_start_nanos=start, op_end_rel_nanos=end - start,
                all_end_rel_nanos=end - start)
    return metadata


def executor(name, kind, start, end):
    return name, "{} = {}(inputs)".format(name, kind), start, end


def test_ops_of_executors_are_read_once():
    metadata = metadata_of({
        "/host:CPU": [("tower_0/a:MatMul", "id=3", 100, 200)],
        EXECUTOR + "CPU:1": [
            executor("_SOURCE", "NoOp", 90, 91),
            ("tower_0/a", "[cpu 0.3MB 0.3MB] tower_0/a = MatMul(x, y)", 100, 200),
        ],
        EXECUTOR + "CPU:0": [executor("train/update", "ApplyMomentum", 300, 310)],
    })
    assert step_ops(metadata.step_stats) == [
        ("tower_0/a", "MatMul", "/cpu:1", 100, 200, 0),
        ("train/update", "ApplyMomentum", "/cpu:0", 300, 310, None),
    ]


def test_kernels_replace_the_executors_entries_of_a_gpu():
    launches = {
        EXECUTOR + "GPU:0": [executor("tower_0/a", "MatMul", 100, 101)],
        EXECUTOR + "GPU:1": [executor("tower_1/a", "MatMul", 102, 103)],
    }
    kernels = {
        "/device:GPU:0/stream:all": [("tower_0/a:MatMul", "sgemm", 110, 200)],
        "/device:GPU:0/stream:13": [("tower_0/a:MatMul", "sgemm", 110, 200)],
        "/device:GPU:0/memcpy": [("tower_0/copy:MEMCPYHtoD", "memcpy", 90, 200)],
        "/device:GPU:1/stream:all": [("tower_1/a:MatMul", "sgemm", 155, 200)],
    }
    found = TowerTrace.from_run_metadata(metadata_of({**launches, **kernels}))
    assert [(op.name, op.type, op.device, op.start, op.end) for op in found.ops] == [
        ("tower_0/a", "MatMul", "/gpu:0", 110, 200), ("tower_1/a", "MatMul", "/gpu:1", 155, 200)]
    assert found.overlap().shared == 0.5

    without = TowerTrace.from_run_metadata(metadata_of(launches))
    assert without.intervals() == {0: [(100, 101)], 1: [(102, 103)]}


def test_kernels_without_names_of_ops_are_ignored():
    found = step_ops(metadata_of({
        EXECUTOR + "GPU:0": [executor("tower_0/a", "MatMul", 100, 101)],
        "/device:GPU:0/stream:all": [("sgemm", "sgemm", 110, 200)],
    }).step_stats)
    assert [op.name for op in found] == ["tower_0/a"]


def test_kernels_of_several_processes_are_ignored():
    found = step_ops(metadata_of({
        "/job:worker/replica:0/task:0/device:GPU:0": [executor("tower_0/a", "MatMul", 100, 101)],
        "/job:worker/replica:0/task:1/device:GPU:0": [executor("tower_1/a", "MatMul", 100, 102)],
        "/device:GPU:0/stream:all": [("tower_0/a:MatMul", "sgemm", 110, 200)],
    }).step_stats)
    assert [(op.name, op.device, op.end) for op in found] == [
        ("tower_0/a", "/job:worker/task:0/gpu:0", 101), ("tower_1/a", "/job:worker/task:1/gpu:0", 102)]


def test_microseconds_are_used_if_nanoseconds_are_missing():
    metadata = tf.RunMetadata()
    metadata.step_stats.dev_stats.add(device=EXECUTOR + "CPU:0").node_stats.add(
        node_name="tower_0/a", timeline_label="tower_0/a = MatMul()", all_start_micros=7, op_start_rel_micros=1,
        op_end_rel_micros=4)
    assert [(op.start, op.end) for op in step_ops(metadata.step_stats)] == [(8000, 11000)]


WAITS = ["_Recv", "_Send", "_HostRecv", "QueueDequeueV2", "QueueDequeueManyV2", "QueueEnqueueV2", "IteratorGetNext",
         "MultiDeviceIteratorGetNextFromShard", "Unstage", "Stage", "ReaderReadV2", "CollectiveReduce", "NcclAllReduce",
         "ResourceAccumulatorTakeGradient"]
NOTHING = ["Const", "NoOp", "VarHandleOp", "ReadVariableOp", "Identity", "Switch", "_Retval"]
# TensorFlow renames the op if it uses oneDNN's kernel, which depends on the CPU.
PRODUCTS = ("MatMul", "_MklMatMul")
WORK = ["MatMul", "Conv2D", "AddN", "Sum", "SendMail", "PyFunc", "Batch", "DynamicStitch"]


@pytest.mark.parametrize("kinds, computing, waiting", [(WAITS, False, True), (NOTHING, False, False),
                                                       (WORK, True, False)], ids=["waits", "nothing", "work"])
def test_is_computing_and_is_wait(kinds, computing, waiting):
    nodes = [executor("tower_0/op_{}".format(number), kind, 0, 10) for number, kind in enumerate(kinds)]
    ops = step_ops(metadata_of({EXECUTOR + "CPU:0": nodes}).step_stats)
    assert {op.type: op.is_computing for op in ops} == {kind: computing for kind in kinds}
    assert {op.type: op.is_wait for op in ops} == {kind: waiting for kind in kinds}


def test_a_tower_that_waits_does_not_overlap():
    trace = TowerTrace.from_run_metadata(metadata_of({
        EXECUTOR + "CPU:0": [executor("tower_0/a", "MatMul", 100, 200)],
        EXECUTOR + "CPU:1": [executor("tower_1/next", "QueueDequeueV2", 100, 200),
                             executor("tower_1/a", "MatMul", 175, 200)],
    }))
    assert trace.overlap().shared == 0.25
    assert trace.overlap().per_tower == {0: 1.0, 1: 0.25}


def test_metadata_of_a_run_without_a_trace_is_rejected():
    with pytest.raises(ArgumentError, match="has no step stats: run with options="):
        TowerTrace.from_run_metadata(tf.RunMetadata())


def read_rows(path):
    """Returns {process title: {thread title: [(name, category, ts, dur, args)]}} of a trace file."""
    with open(path) as source:
        events = json.load(source)["traceEvents"]
    processes = {each["pid"]: each["args"]["name"] for each in events if each["name"] == "process_name"}
    threads = {(each["pid"], each["tid"]): each["args"]["name"] for each in events if each["name"] == "thread_name"}
    rows = {title: {} for title in processes.values()}
    for each in events:
        assert each["ph"] in ("M", "X")
        if each["ph"] == "X":
            row = rows[processes[each["pid"]]].setdefault(threads[each["pid"], each["tid"]], [])
            row.append((each["name"], each["cat"], each["ts"], each["dur"], each["args"]))
    return rows


def test_the_chrome_trace_has_a_group_per_tower_and_microseconds(tmp_path):
    path = str(tmp_path / "new" / "step.json")
    TowerTrace.from_run_metadata(metadata_of({
        EXECUTOR + "CPU:0": [executor("tower_0/a", "MatMul", 5000, 9000), executor("tower_0/b", "Relu", 6000, 7500),
                             executor("tower_0/c", "Sum", 9000, 9500), executor("train", "AddN", 9500, 9600)],
        EXECUTOR + "CPU:1": [executor("tower_1/next", "IteratorGetNext", 5000, 8000)],
    })).write_chrome_trace(path)
    assert read_rows(path) == {
        "tower 0": {
            "/cpu:0": [("MatMul", "op", 0.0, 4.0, {"op": "tower_0/a", "device": "/cpu:0"}),
                       ("Sum", "op", 4.0, 0.5, {"op": "tower_0/c", "device": "/cpu:0"})],
            "/cpu:0 (2)": [("Relu", "op", 1.0, 1.5, {"op": "tower_0/b", "device": "/cpu:0"})],
        },
        "tower 1": {
            "/cpu:1 waits": [("IteratorGetNext", "wait", 0.0, 3.0, {"op": "tower_1/next", "device": "/cpu:1"})],
        },
        "shared: variables, update": {"/cpu:0": [("AddN", "op", 4.5, 0.1, {"op": "train", "device": "/cpu:0"})]},
    }


def test_the_error_for_an_unwritable_trace_names_the_path_and_no_file_is_left(tmp_path):
    trace = TowerTrace.from_run_metadata(metadata_of({EXECUTOR + "CPU:0": [executor("tower_0/a", "MatMul", 0, 1)]}))
    (tmp_path / "taken").mkdir()
    with pytest.raises(ArgumentError) as caught:
        trace.write_chrome_trace(str(tmp_path / "taken"))
    assert str(caught.value).startswith("the trace can't be written to {}: ".format(tmp_path / "taken"))
    assert os.listdir(str(tmp_path)) == ["taken"]


def two_towers(serial):
    """Returns the sum of two chains of matmuls; if serial, every op of the second depends on the end of the first."""
    ends = []
    for tower in range(2):
        with tf.control_dependencies(ends if serial else []):
            with tf.device("/cpu:{}".format(tower + 1)), tf.name_scope("tower_{}".format(tower)):
                value = tf.random_normal([400, 400])
                for _ in range(10):
                    value = tf.matmul(value, value)
                ends.append(tf.reduce_sum(value))
    return tf.add_n(ends)


def traced(total):
    config = session_config(logical_cpus=3, inter_op_threads=2, intra_op_threads=1, per_session_threads=True)
    metadata = tf.RunMetadata()
    with tf.Session(config=config) as session:
        session.run(total)
        session.run(total, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    return TowerTrace.from_run_metadata(metadata)


def test_towers_that_do_not_depend_on_each_other_overlap():
    total = two_towers(serial=False)
    trace = traced(total)
    assert {op.device for op in trace.ops if op.tower == 1 and op.type in PRODUCTS} == {"/cpu:2"}
    assert len([op for op in trace.ops if op.tower == 1 and op.type in PRODUCTS]) == 10
    assert sorted(trace.overlap().per_tower) == [0, 1]
    # If another process uses one of two cores, the towers of a step may run one after the other.
    assert trace.overlap().shared > 0 or any(traced(total).overlap().shared > 0 for _ in range(20))


def test_towers_that_wait_for_each_other_never_overlap():
    trace = traced(two_towers(serial=True))
    assert trace.overlap().shared == 0
    assert "the loop is serial" in str(trace.overlap())
    assert min(trace.overlap().per_tower.values()) > 0


def test_the_hook_traces_one_step_of_a_monitored_session(tmp_path):
    total = two_towers(serial=False)
    path = str(tmp_path / "step.json")
    hook = TraceHook(step=2, path=path)
    tf.train.get_or_create_global_step()
    with tf.train.MonitoredTrainingSession(hooks=[hook], config=session_config(logical_cpus=3)) as session:
        session.run(total)
        assert hook.trace is None and not os.path.exists(path)
        session.run(total)
        trace = hook.trace
        assert trace is not None
        session.run(total)
        assert hook.trace is trace
    rows = read_rows(path)
    assert list(rows) == ["tower 0", "tower 1", "shared: variables, update"]
    ran = {name for name, *_ in rows["tower 1"]["/cpu:2"]}
    assert "Sum" in ran and not ran.isdisjoint(PRODUCTS)
    assert os.listdir(str(tmp_path)) == ["step.json"]


def test_the_hook_warns_if_the_loop_is_too_short():
    value = tf.random_normal([2])
    tf.train.get_or_create_global_step()
    with pytest.warns(UserWarning, match="no step was traced: the loop ended after 1 runs, before run 5"):
        with tf.train.MonitoredTrainingSession(hooks=[TraceHook(step=5)]) as session:
            session.run(value)


def test_the_hook_does_not_warn_after_a_trace():
    value = tf.random_normal([2])
    tf.train.get_or_create_global_step()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with tf.train.MonitoredTrainingSession(hooks=[TraceHook(step=1)]) as session:
            session.run(value)
    assert not [each for each in caught if "traced" in str(each.message)]


@pytest.mark.parametrize("step", [0, -3, 1.5, True])
def test_the_step_to_trace_must_be_at_least_1(step):
    with pytest.raises(ArgumentError) as caught:
        TraceHook(step=step)
    assert str(caught.value) == "step must be a whole number of at least 1, got {!r}".format(step)
