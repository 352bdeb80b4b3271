"""replicate_model_fn and TowerOptimizer: run the model function of an Estimator on several devices.

    batch [8, ..]  --split-->  tower 0: rows 0..3 on /gpu:0     gradients of all towers, summed on the device of the
                               tower 1: rows 4..7 on /gpu:1     variable --> one apply_gradients, in the last tower

Towers share the variables, which are on the CPU, or on the GPU if there is only one device. The first tower has no name
scope; the others have tower_1, tower_2, ...
"""
import contextlib
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.contrib.estimator import tower_specs
from legacy_towers.compat.tf1.estimator import arguments
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf

# The graph collection with the state that towers share while they are built.
_STATES = "replicate_model_fn_graph_states"
_VARIABLE_OPS = ("Variable", "VariableV2", "VarHandleOp")


class _TowersOfGraph:
    """The towers that are being built in one graph."""

    def __init__(self) -> None:
        self.count = 1
        self.current = 0
        self.loss_reduction: Optional[str] = None
        self.first_scopes: Tuple[Any, str] = (None, "")
        self.has_optimizer = False
        # gradients[tower][call of apply_gradients]: list of (gradient, variable).
        self.gradients: List[List[Any]] = []

    @staticmethod
    def of_default_graph() -> "_TowersOfGraph":
        states = tf.get_collection_ref(_STATES)
        if not states:
            states.append(_TowersOfGraph())
        return states[-1]

    def begin(self, count: int, loss_reduction: str) -> None:
        self.count, self.loss_reduction = count, loss_reduction
        self.gradients = [[] for _ in range(count)]

    @contextlib.contextmanager
    def tower(self, number: int, variable_scope: Any, name_scope: str) -> Iterator[None]:
        self.current = number
        if number == 0:
            self.first_scopes = (variable_scope, name_scope)
        yield

    def scaled(self, loss: Any) -> Any:
        """Returns the loss of one tower scaled to its part of the loss of the whole batch."""
        if loss is None or self.count == 1 or self.loss_reduction == tf.losses.Reduction.SUM:
            return loss
        return tf.div(loss, 1.0 * self.count, name="averaged_loss")


class TowerOptimizer(tf.train.Optimizer):
    """Wraps an optimizer: sums the gradients of all towers and applies the sums once, in the last tower.

    Without `replicate_model_fn` it has no effect.

    Args:
      optimizer_or_optimizer_fn: a tf.train.Optimizer, or a function that returns one and is called at the first use.
    """

    def __init__(self, optimizer_or_optimizer_fn: Any) -> None:  # pylint: disable=super-init-not-called
        self._optimizer_or_fn = optimizer_or_optimizer_fn

    @staticmethod
    def has_been_used() -> bool:
        return _TowersOfGraph.of_default_graph().has_optimizer

    def get_slot(self, *args: Any, **options: Any) -> Any:
        return self._optimizer().get_slot(*args, **options)

    def get_slot_names(self, *args: Any, **options: Any) -> Any:
        return self._optimizer().get_slot_names(*args, **options)

    def get_name(self, *args: Any, **options: Any) -> Any:
        return self._optimizer().get_name(*args, **options)

    def variables(self, *args: Any, **options: Any) -> Any:
        return self._optimizer().variables(*args, **options)

    def compute_gradients(self, loss: Any, *args: Any, **options: Any) -> Any:
        """Computes gradients of the loss of the current tower, scaled by the number of towers."""
        scaled = _TowersOfGraph.of_default_graph().scaled(loss)
        return self._optimizer().compute_gradients(scaled, *args, **options)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, **options: Any) -> Any:
        """Stores the gradients of the current tower; in the last tower, applies the sums over all towers."""
        towers = _TowersOfGraph.of_default_graph()
        grads_and_vars = list(grads_and_vars)
        if towers.count == 1:
            return self._optimizer().apply_gradients(grads_and_vars, global_step, **options)
        towers.gradients[towers.current].append(grads_and_vars)
        if towers.current < towers.count - 1:
            computed = [tower_specs.values_of(gradient) for gradient, _ in grads_and_vars if gradient is not None]
            with tf.control_dependencies(computed):
                return tf.no_op(name="train_op_placeholder")
        variable_scope, name_scope = towers.first_scopes
        with tf.variable_scope(variable_scope), tf.name_scope(name_scope):
            return self._apply_sums(towers, global_step, **options)

    def _apply_sums(self, towers: _TowersOfGraph, global_step: Any, **options: Any) -> Any:
        call = len(towers.gradients[towers.current]) - 1
        gathered: Dict[int, Tuple[Any, List[Any]]] = {}  # keys are ids: variables are not hashable in TensorFlow 2
        for calls in towers.gradients:
            for gradient, variable in calls[call] if call < len(calls) else ():
                if gradient is not None:
                    gathered.setdefault(id(variable), (variable, []))[1].append(gradient)
        with tf.name_scope("gradient_aggregating"):
            summed = [
                (tower_specs.sum_on(gradients, variable.device), variable) for variable, gradients in gathered.values()
            ]
        return self._optimizer().apply_gradients(summed, global_step=global_step, **options)

    def _optimizer(self) -> Any:
        if callable(self._optimizer_or_fn):
            self._optimizer_or_fn = self._optimizer_or_fn()
        _TowersOfGraph.of_default_graph().has_optimizer = True
        return self._optimizer_or_fn


def replicate_model_fn(
    model_fn: Callable[..., EstimatorSpec],
    loss_reduction: str = tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS,
    devices: Optional[Sequence[str]] = None,
) -> Callable[..., EstimatorSpec]:
    """Returns a model function that splits each batch over devices, one tower per device.

    Args:
      model_fn: the model function of an Estimator, whose optimizers are TowerOptimizers.
      loss_reduction: the tf.losses.Reduction of `model_fn`; SUM sums the losses of the towers, others average them.
      devices: the devices, by default all GPUs, or the CPU if there are none.

    Raises:
      ValueError: `loss_reduction` is NONE; or, when the graph is built: the batch size is not divisible by the number
        of towers, an optimizer is not a TowerOptimizer, or towers call apply_gradients differently often.
    """
    if loss_reduction == tf.losses.Reduction.NONE:
        raise ValueError(
            "Tower losses need to be reduced in some way, yet {} reduction is specified.".format(loss_reduction)
        )
    chosen = list(devices or _local_devices("GPU") or _local_devices("CPU"))
    shared_device = chosen[0] if len(chosen) == 1 and "GPU" in chosen[0].upper() else "/CPU:0"
    text = "Replicating the `model_fn` across %s.  Variables are going to be placed on %s."
    tf.logging.info(text, chosen, shared_device)

    def replicated(features: Any, labels: Any, mode: str, params: Any = None, config: Any = None) -> EstimatorSpec:
        arguments_of_call = {"mode": mode, "params": params, "config": config}
        if len(chosen) == 1:
            return _build(model_fn, arguments_of_call, [features], [labels], chosen, shared_device, loss_reduction)[0]
        with tf.name_scope("split_inputs"), tf.device(shared_device):
            feature_shards = tower_specs.split(features, len(chosen))
            label_shards = tower_specs.split(labels, len(chosen))
        specs = _build(model_fn, arguments_of_call, feature_shards, label_shards, chosen, shared_device, loss_reduction)
        if mode == ModeKeys.TRAIN:
            return tower_specs.merge_training(specs, shared_device)
        if mode == ModeKeys.EVAL:
            return tower_specs.merge_evaluation(specs, shared_device)
        return tower_specs.merge_prediction(specs, shared_device)

    return replicated


def _build(
    model_fn: Callable[..., EstimatorSpec],
    arguments_of_call: Dict[str, Any],
    features: Sequence[Any],
    labels: Sequence[Any],
    devices: Sequence[str],
    variables_device: str,
    loss_reduction: str,
) -> List[EstimatorSpec]:
    towers = _TowersOfGraph.of_default_graph()
    towers.begin(len(devices), loss_reduction)
    keywords = arguments.wanted(model_fn, arguments_of_call)
    specs = []
    for number, device in enumerate(devices):
        with tf.variable_scope("", reuse=number > 0) as variable_scope:
            with tf.name_scope("tower_{}".format(number) if number else "") as name_scope:
                placement = tf.device(_device_function(device, variables_device))
                with towers.tower(number, variable_scope, name_scope), placement:
                    spec = model_fn(features=features[number], **dict(keywords, **_labels(model_fn, labels[number])))
                    if spec.train_op is not None and len(devices) > 1 and not towers.has_optimizer:
                        raise ValueError(
                            "Please wrap optimizers with TowerOptimizer in order to use replicate_model_fn with "
                            "multiple `devices`."
                        )
                    specs.append(spec._replace(loss=towers.scaled(spec.loss)))
    calls = [len(of_tower) for of_tower in towers.gradients]
    tf.get_default_graph().clear_collection(_STATES)
    if len(set(calls)) > 1:
        raise ValueError(
            "Each invocation of model_fn was supposed to make the same optimizer calls, the towers made {}.".format(
                calls
            )
        )
    return specs


def _labels(model_fn: Callable[..., EstimatorSpec], labels: Any) -> Dict[str, Any]:
    return {"labels": labels} if "labels" in arguments.names(model_fn) else {}


def _device_function(device: str, variables_device: str) -> Callable[[Any], str]:
    """Returns the device function of a tower: `device`, except for variables; inner tf.device calls take precedence."""

    def place(operation: Any) -> str:
        chosen = variables_device if operation.type in _VARIABLE_OPS else device
        whole = tf.DeviceSpec.from_string(chosen)
        return _merged(whole, tf.DeviceSpec.from_string(operation.device or ""))

    return place


def _merged(outer: Any, inner: Any) -> str:
    if hasattr(outer, "make_merged_spec"):
        return outer.make_merged_spec(inner).to_string()
    outer.merge_from(inner)  # the method of TensorFlow 1.15, in place
    return outer.to_string()


def _local_devices(kind: str) -> List[str]:
    device_lib = script_api.module("tensorflow.python.client.device_lib")
    return [device.name for device in device_lib.list_local_devices() if device.device_type == kind]
