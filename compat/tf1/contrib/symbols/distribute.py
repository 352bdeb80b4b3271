"""The names of tf.contrib.distribute and tf.distribute that this package supports, of TensorFlow 1.8 to 1.15."""
from typing import Dict, Tuple

from legacy_towers.compat.tf1.symbols import Symbol

_HERE = "legacy_towers.compat.tf1.contrib.distribute"
_PRIVATE = "legacy_towers.compat.tf1.contrib.private.strategies"
_CONTRIB = "tensorflow.contrib.distribute."
_METHODS = "with the methods and arguments of TensorFlow 1.8 to 1.15; without a GPU per tower, gradients are copied"

_EXPERIMENTAL = "with the methods of TensorFlow 1.15, such as experimental_run_v2"

# Module below _HERE -> the names of tf.contrib.distribute that it has, which 1.15 lacks or has without the methods of
# towers.
_NAMES: Dict[str, str] = {
    "contexts": "TowerContext get_cross_tower_context get_distribution_strategy get_replica_context get_tower_context"
    " require_tower_context",
    "reductions": "AllReduceCrossDeviceOps AllReduceCrossTowerOps CrossTowerOps ReductionToOneDeviceCrossTowerOps",
    "step_fn": "StandardInputStep StandardSingleLossStep Step",
    "strategies": "CollectiveAllReduceStrategy MirroredStrategy OneDeviceStrategy ParameterServerStrategy",
}
# Module of TensorFlow -> (names, module that has them).
_MODULES: Tuple[Tuple[str, str, str], ...] = (
    (_CONTRIB + "python.collective_all_reduce_strategy", "CollectiveAllReduceStrategy", "strategies"),
    (_CONTRIB + "python.mirrored_strategy", "MirroredStrategy", "strategies"),
    (_CONTRIB + "python.one_device_strategy", "OneDeviceStrategy", "strategies"),
    (_CONTRIB + "python.parameter_server_strategy", "ParameterServerStrategy", "strategies"),
    (
        _CONTRIB + "python.cross_tower_ops",
        "AllReduceCrossTowerOps CrossTowerOps ReductionToOneDeviceCrossTowerOps choose_the_best",
        "reductions",
    ),
    (
        _CONTRIB + "python.values",
        "DistributedValues MapOutput Mirrored MirroredVariable MultiStepContext PerDevice PerDeviceDataIterator"
        " PerDeviceDataset TowerLocalVariable regroup select_device select_device_mirrored",
        "values",
    ),
    ("tensorflow.distribute", "NcclAllReduce", "reductions"),
    (
        "tensorflow.python.distribute.cross_device_ops",
        "AllReduceCrossDeviceOps NcclAllReduce choose_the_best",
        "reductions",
    ),
    ("tensorflow.distribute", "get_replica_context", "contexts"),
    (
        "tensorflow.python.training.distribute",
        "TowerContext get_cross_tower_context get_distribution_strategy get_tower_context increment_var"
        " require_tower_context",
        "contexts",
    ),
    (
        "tensorflow.python.training.distribution_strategy_context",
        "get_cross_tower_context get_distribution_strategy get_tower_context",
        "contexts",
    ),
)

SYMBOLS: Tuple[Symbol, ...] = tuple(
    Symbol(_CONTRIB + name, "{}.{}:{}".format(_HERE, module, name), on_1_15=True, note=_METHODS)
    for module, names in _NAMES.items()
    for name in names.split()
) + tuple(
    Symbol("{}.{}".format(place, name), "{}.{}:{}".format(_HERE, module, name), on_1_15=True, note=_METHODS)
    for place, names, module in _MODULES
    for name in names.split()
) + (
    Symbol("tensorflow.contrib.distribute", _HERE),
    Symbol(_CONTRIB + "DistributionStrategyExtended", _PRIVATE + ":StrategyExtendedV1", on_1_15=True),
    Symbol(
        _CONTRIB + "ReductionToOneDeviceCrossDeviceOps",
        _HERE + ".reductions:ReductionToOneDeviceCrossTowerOps",
        on_1_15=True,
    ),
    Symbol(_CONTRIB + "python.mirrored_strategy.MirroredTowerContext", _HERE + ".contexts:TowerContext", on_1_15=True),
    Symbol(_CONTRIB + "python.monitor", _HERE + ".monitor"),
    Symbol(_CONTRIB + "python.step_fn", _HERE + ".step_fn", on_1_15=True),
    Symbol("tensorflow.distribute.MirroredStrategy", _HERE + ".strategies:CoreMirroredStrategy", on_1_15=True,
           note=_METHODS),
    Symbol("tensorflow.python.distribute.mirrored_strategy.MirroredStrategy",
           _HERE + ".strategies:CoreMirroredStrategy", on_1_15=True, note=_METHODS),
    Symbol("tensorflow.python.distribute.mirrored_strategy.MirroredStrategyV1",
           _HERE + ".strategies:CoreMirroredStrategy", on_1_15=True, note=_METHODS),
    Symbol("tensorflow.distribute.experimental.CentralStorageStrategy",
           _HERE + ".strategies:CoreCentralStorageStrategy", note=_EXPERIMENTAL),
    Symbol("tensorflow.distribute.experimental.MultiWorkerMirroredStrategy",
           _HERE + ".strategies:CoreMultiWorkerMirroredStrategy", note=_EXPERIMENTAL),
    Symbol("tensorflow.distribute.experimental.ParameterServerStrategy",
           _HERE + ".strategies:CoreParameterServerStrategy", note=_EXPERIMENTAL),
    Symbol("tensorflow.distribute.OneDeviceStrategy", _HERE + ".strategies:CoreOneDeviceStrategy", on_1_15=True,
           note=_METHODS),
)

_COLLECTIVES = "use tf.distribute.experimental.MultiWorkerMirroredStrategy, which reduces over workers by collectives"
_TENSORS = "add the gradients of all towers with tf.add_n, or by tf.contrib.distribute.AllReduceCrossTowerOps"
_TPU = "TPUs are not supported; most of tf.contrib.tpu works with use_tpu=False"
_ITERATIONS = "only for TPUs: call get_next in each iteration"
_TESTS = "it was for TensorFlow's own tests"

UNSUPPORTED: Dict[str, str] = {
    _CONTRIB + "MultiWorkerAllReduce": _COLLECTIVES,
    _CONTRIB + "TPUStrategy": _TPU,
    _CONTRIB + "initialize_tpu_system": _TPU,
    _CONTRIB + "python.cross_tower_ops": _TENSORS,
    _CONTRIB + "python.cross_tower_ops.CollectiveAllReduce": _COLLECTIVES,
    _CONTRIB + "python.cross_tower_ops.MultiWorkerAllReduce": _COLLECTIVES,
    _CONTRIB + "python.cross_tower_utils": _TENSORS,
    _CONTRIB + "python.input_ops": "call dataset.shard(number of workers, number of this worker) in the input function",
    _CONTRIB + "python.keras_multi_worker_test_base": _TESTS,
    _CONTRIB + "python.one_device_strategy.OneDeviceExtended": "use tf.contrib.distribute.OneDeviceStrategy",
    _CONTRIB + "python.prefetching_ops_v2": "call strategy.distribute_dataset, which gives each tower its elements",
    _CONTRIB + "python.shared_variable_creator": "tf.get_variable shares variables between the towers of "
    "call_for_each_tower",
    _CONTRIB + "python.tpu_strategy": _TPU,
    _CONTRIB + "python.values.AggregatingVariable": "use tf.get_variable with the argument aggregation",
    _CONTRIB + "python.values.Batches": _ITERATIONS,
    _CONTRIB + "python.values.DistributedDelegate": "use tf.contrib.distribute.python.values.PerDevice",
    _CONTRIB + "python.values.DistributedVarOp": "read the name, graph and type from variable.op",
    _CONTRIB + "python.values.DistributedVariable": "use tf.contrib.distribute.python.values.MirroredVariable",
    _CONTRIB + "python.values.MultiIterator": _ITERATIONS,
    _CONTRIB + "python.values.MultiWorkerDataIterator": _COLLECTIVES,
    _CONTRIB + "python.values.MultiWorkerDataset": _COLLECTIVES,
    _CONTRIB + "python.values.PerIteration": _ITERATIONS,
    _CONTRIB + "python.values.PerIterationDataset": _ITERATIONS,
    _CONTRIB + "python.values.TPUMirroredVariable": _TPU,
    _CONTRIB + "python.values.update_regroup": "call strategy.update with grouped=True",
    _CONTRIB + "python.values.value_container": "call strategy.value_container",
}
