"""NCCL: the graph, which can be built without GPUs; its numbers need two GPUs and are not tested here."""
import pytest

from legacy_towers import gradients as reductions
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, DeviceError
from legacy_towers.gradients import ReductionContext
from legacy_towers.gradients.reduce import prepare

GPUS = ["/gpu:{}".format(index) for index in range(4)]


def reduced(devices, reduction=None, copied=False, tower_weights=None, dtype=tf.float32):
    """Returns rows: a variable of static shape, one of unknown shape, a sparse and an empty one."""
    variables = {
        name: tf.get_variable(name, shape, dtype, use_resource=True)
        for name, shape in [("matrix", [3, 5]), ("sparse", [6, 2]), ("empty", [0, 2])]
    }
    towers = []
    for device in devices:
        with tf.device(device):
            pairs = [(tf.placeholder(dtype, shape), variables[name]) for name, shape in [("matrix", [3, 5])]]
            slices = tf.IndexedSlices(tf.placeholder(dtype, [None, 2]), tf.placeholder(tf.int64, [None]), [6, 2])
            pairs += [(slices, variables["sparse"]), (tf.placeholder(dtype, [0, 2]), variables["empty"])]
        towers.append(pairs)
    context = ReductionContext(list(devices), list(range(len(devices))), tower_weights, has_copies=copied)
    return prepare(reduction or reductions.nccl(), context, list(variables.values())).reduce(towers).rows


def nccl_ops(graph):
    return [op for op in graph.get_operations() if op.type.startswith("Nccl")]


@pytest.mark.parametrize("towers", [2, 4])
def test_there_is_one_op_per_gpu(fresh_graph, towers):
    rows = reduced(GPUS[:towers])
    ops = nccl_ops(fresh_graph)
    assert [op.type for op in ops] == ["NcclAllReduce"] * towers
    assert [op.device for op in ops] == ["/device:GPU:{}".format(index) for index in range(towers)]
    assert {op.get_attr("num_devices") for op in ops} == {towers}
    assert {op.get_attr("reduction") for op in ops} == {b"sum"}
    assert len({op.get_attr("shared_name") for op in ops}) == 1
    assert [row.reduced_by for row in rows] == ["nccl", "concat", "add_n"]
    (gradient,) = rows[0].gradients
    assert gradient.shape.as_list() == [3, 5] and gradient.dtype == tf.float32


def test_each_gpu_divides_before_the_all_reduce(fresh_graph):
    reduced(GPUS[:2])
    for op in nccl_ops(fresh_graph):
        scaled = op.inputs[0].op.inputs[0].op
        assert scaled.type == "Mul" and scaled.device == op.device


def test_shared_variables_get_one_result_which_waits_for_all(fresh_graph):
    (gradient,) = reduced(GPUS)[0].gradients
    waited_for = {op.name for op in gradient.op.control_inputs} | {gradient.op.inputs[0].op.name}
    assert {op.name for op in nccl_ops(fresh_graph)} <= waited_for


def test_variables_of_each_tower_get_one_result_each():
    gradients = reduced(GPUS, copied=True)[0].gradients
    assert [each.device for each in gradients] == ["/device:GPU:{}".format(index) for index in range(4)]


@pytest.mark.parametrize("dtype, sent", [(tf.float16, tf.float16), (tf.bfloat16, tf.float32), (tf.float64, tf.float64)])
def test_dtypes(fresh_graph, dtype, sent):
    (gradient,) = reduced(GPUS[:2], dtype=dtype)[0].gradients
    assert gradient.dtype == dtype
    assert {op.inputs[0].dtype for op in nccl_ops(fresh_graph)} == {sent}


def test_bucketed_nccl(fresh_graph):
    rows = reduced(GPUS[:2], reductions.bucketed(reductions.nccl()))
    assert len(nccl_ops(fresh_graph)) == 2
    assert {op.inputs[0].shape.as_list()[0] for op in nccl_ops(fresh_graph)} == {15}
    assert [row.bucket for row in rows] == [0, None, 0]


def test_a_single_tower_needs_no_gpu(fresh_graph):
    assert [row.reduced_by for row in reduced(["/cpu:0"])] == ["one tower"] * 3
    assert nccl_ops(fresh_graph) == []


@pytest.mark.parametrize(
    "devices, message",
    [
        (["/gpu:0", "/cpu:0"], r"nccl\(\) reduces between GPUs, and tower 1 is on '/cpu:0': use lt.gradients.mean"),
        (["/gpu:0", "/gpu:1", "gpu:0"], r"one tower per GPU, and towers 0 and 2 are both on 'gpu:0'"),
        (["/gpu:0", "/gpu"], "needs the towers' devices with type and index, .*; that of tower 1 is '/gpu'"),
        (
            ["/job:worker/task:0/gpu:0", "/job:worker/task:1/gpu:0"],
            "between the GPUs of one process, and the towers are in several: .*'/job:worker/task:1/gpu:0'",
        ),
    ],
)
def test_devices_that_can_not_form_a_group_are_rejected(devices, message):
    with pytest.raises(DeviceError, match=message):
        reduced(devices)


def test_unsupported_combinations():
    with pytest.raises(ArgumentError, match="combine is 'average'"):
        reductions.nccl("average")


def test_a_repr_is_the_call():
    assert repr(reductions.nccl()) == "nccl()" and repr(reductions.nccl("sum")) == "nccl(combine='sum')"
