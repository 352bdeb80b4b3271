"""Estimator: trains, evaluates and predicts with a model function, each in a separate graph."""
import copy
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.estimator import arguments, input_results, replicated
from legacy_towers.compat.tf1.estimator.cluster import TaskType
from legacy_towers.compat.tf1.estimator.export import saved_model
from legacy_towers.compat.tf1.estimator.loops import evaluation, prediction, training, warm_start
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.tf1.estimator.run_config import RunConfig, replica_device_setter, with_directory
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf

# Members that subclasses may override, as TensorFlow's own do.
_MAY_OVERRIDE = {"_tf_api_names", "_estimator_api_names", "_tf_api_constants", "_call_model_fn", "_call_input_fn"}

_WITHOUT_COORDINATOR = (
    "Estimator.{} is not supported with {} over the workers of TF_CONFIG: call tf.estimator.train_and_evaluate, which "
    "runs the task of each process"
)


class Estimator:
    """Trains and evaluates the model that `model_fn` builds.

    Args:
      model_fn: called with `features` and those of `labels`, `mode`, `params` and `config` that are arguments of it;
        returns an EstimatorSpec.
      model_dir: the folder of checkpoints and event files; by default that of `config`, or else a temporary one.
      config: a RunConfig.
      params: passed to `model_fn` and to input functions.
      warm_start_from: the path of a checkpoint, of its folder or of a SavedModel, or WarmStartSettings.

    Raises:
      ValueError: `model_fn` has wrong arguments, `model_dir` differs from that of `config`, or a subclass overrides a
        member of Estimator.
    """

    def __init__(
        self,
        model_fn: Callable[..., EstimatorSpec],
        model_dir: Optional[str] = None,
        config: Optional[RunConfig] = None,
        params: Any = None,
        warm_start_from: Any = None,
    ) -> None:
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        self._check_not_overridden()
        self._config = with_directory(config, model_dir)
        self._model_dir = self._config.model_dir
        self._session_config = self._config.session_config
        self._train_distribution = self._config.train_distribute
        self._eval_distribution = self._config.eval_distribute
        tf.logging.info("Using config: %s", vars(self._config))
        self._device_fn = self._config.device_fn or replica_device_setter(self._config)
        arguments.check_model_function(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_settings = warm_start.settings(warm_start_from)

    @property
    def model_dir(self) -> str:
        return self._model_dir

    @property
    def config(self) -> RunConfig:
        return copy.deepcopy(self._config)

    @property
    def params(self) -> Any:
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., EstimatorSpec]:
        """The model function with `params` bound: (features, labels, mode, config) -> EstimatorSpec."""

        def bound(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return self._call_model_fn(features, labels, mode, config)

        return bound

    def get_variable_value(self, name: str) -> Any:
        """Returns the value, a numpy array, of the variable `name` in the latest checkpoint."""
        self._check_trained()
        return tf.train.load_variable(self.model_dir, name)

    def get_variable_names(self) -> List[str]:
        """Returns the names of all variables in the latest checkpoint."""
        self._check_trained()
        return [name for name, _ in tf.train.list_variables(self.model_dir)]

    def latest_checkpoint(self) -> Optional[str]:
        """Returns the path of the latest checkpoint, None if there is none."""
        return tf.train.latest_checkpoint(self.model_dir)

    def eval_dir(self, name: Optional[str] = None) -> str:
        """Returns the folder with the event files of evaluations of this `name`."""
        return os.path.join(self._model_dir, "eval" if not name else "eval_" + name)

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Optional[Sequence[Any]] = None,
        steps: Optional[int] = None,
        max_steps: Optional[int] = None,
        saving_listeners: Optional[Sequence[Any]] = None,
    ) -> "Estimator":
        """Trains for `steps` more steps, up to the global step `max_steps`, or to the end of data.

        Args:
          input_fn: returns a tf.data.Dataset, (features, labels) or features; called with those of `mode`, `params`
            and `config` that are arguments of it.
          hooks: tf.train.SessionRunHooks.
          steps: the number of steps; None for no limit.
          max_steps: the global step at which training ends; None for no limit.
          saving_listeners: tf.train.CheckpointSaverListeners.

        Returns:
          the Estimator itself.

        Raises:
          ValueError: both limits are given, one is not positive, or this process is an evaluator or parameter server.
          TypeError: an element of `hooks` or `saving_listeners` has the wrong type.
        """
        if self.config.task_type in (TaskType.EVALUATOR, TaskType.PS):
            raise ValueError(
                "Train has been called in a process of type {}: call tf.estimator.train_and_evaluate, which runs the "
                "task of each process in TF_CONFIG".format(self.config.task_type)
            )
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        _check_positive("steps", steps)
        _check_positive("max_steps", max_steps)
        if max_steps is not None and max_steps <= _saved_step(self._model_dir):
            tf.logging.info("Skipping training since max_steps has already saved.")
            return self
        hooks = _checked(hooks, tf.train.SessionRunHook, "Hooks must be a SessionRunHook, given: {}")
        if steps is not None or max_steps is not None:
            hooks.append(tf.train.StopAtStepHook(steps, max_steps))
        listeners = _checked(
            saving_listeners,
            tf.train.CheckpointSaverListener,
            "saving_listeners must be a list of CheckpointSaverListener, given: {}",
        )
        loss = self._train_model(input_fn, hooks, listeners)
        tf.logging.info("Loss for final step: %s.", loss)
        return self

    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: Optional[int] = None,
        hooks: Optional[Sequence[Any]] = None,
        checkpoint_path: Optional[str] = None,
        name: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Returns name -> value of the metrics, with "loss" and "global_step", over `steps` batches or all data.

        Args:
          input_fn: see `train`.
          steps: the number of batches; None for all data.
          hooks: tf.train.SessionRunHooks.
          checkpoint_path: by default the latest checkpoint; without any, variables are initialized.
          name: a suffix of the folder of event files, see `eval_dir`.

        Raises:
          ValueError: `steps` is not positive.
          TypeError: an element of `hooks` is not a tf.train.SessionRunHook.
        """
        hooks = _checked(hooks, tf.train.SessionRunHook, "Hooks must be a SessionRunHook, given: {}")
        _check_positive("steps", steps)
        if steps is not None:
            hooks.append(runtime.stop_after_evaluations(steps))
        if self._eval_distribution is not None and self._config._distribute_coordinator_mode is not None:
            raise ValueError(_WITHOUT_COORDINATOR.format("evaluate", self._eval_distribution.__class__.__name__))
        path = checkpoint_path or self._latest_or_log("evaluate")
        return evaluation.evaluate(self, input_fn, hooks, path, name)

    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Any = None,
        hooks: Optional[Sequence[Any]] = None,
        checkpoint_path: Optional[str] = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yields the predictions of each example, or of each batch if `yield_single_examples` is False.

        Args:
          input_fn: see `train`; labels are ignored.
          predict_keys: the keys of the predictions to yield; all by default.
          hooks: tf.train.SessionRunHooks.
          checkpoint_path: by default the latest checkpoint; without any, variables are initialized.
          yield_single_examples: whether to split batches into examples.
        """
        hooks = _checked(hooks, tf.train.SessionRunHook, "Hooks must be a SessionRunHook, given: {}")
        path = checkpoint_path or self._latest_or_log("predict")
        return prediction.predict(self, input_fn, predict_keys, hooks, path, yield_single_examples)

    def export_saved_model(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Optional[Callable[[], Any]],
        assets_extra: Optional[Dict[str, str]] = None,
        as_text: bool = False,
        checkpoint_path: Optional[str] = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Exports a checkpoint, by default the latest, as a SavedModel in a new folder below `export_dir_base`.

        Args:
          export_dir_base: the parent folder.
          serving_input_receiver_fn: returns a ServingInputReceiver.
          assets_extra: destination below assets.extra -> source of files that are copied.
          as_text: whether to write the graph as text.
          checkpoint_path: of the variables.
          experimental_mode: the mode of the model function.

        Returns:
          the path of the folder, as bytes.

        Raises:
          ValueError: there is no checkpoint or no receiver function.
        """
        if not serving_input_receiver_fn:
            raise ValueError("An input_receiver_fn must be defined.")
        receivers = {experimental_mode: serving_input_receiver_fn}
        return saved_model.export(self, export_dir_base, receivers, assets_extra, as_text, checkpoint_path, True)

    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Optional[Callable[[], Any]],
        assets_extra: Optional[Dict[str, str]] = None,
        as_text: bool = False,
        checkpoint_path: Optional[str] = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Exports like `export_saved_model`, of which it is the older name, in mode PREDICT."""
        if not serving_input_receiver_fn:
            raise ValueError("An input_receiver_fn must be defined.")
        receivers = {ModeKeys.PREDICT: serving_input_receiver_fn}
        return saved_model.export(
            self, export_dir_base, receivers, assets_extra, as_text, checkpoint_path, strip_default_attrs
        )

    def experimental_export_all_saved_models(
        self,
        export_dir_base: str,
        input_receiver_fn_map: Dict[str, Callable[[], Any]],
        assets_extra: Optional[Dict[str, str]] = None,
        as_text: bool = False,
        checkpoint_path: Optional[str] = None,
    ) -> bytes:
        """Exports a SavedModel with a graph for each mode in `input_receiver_fn_map`, see `export_saved_model`."""
        return saved_model.export(
            self, export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path, True
        )

    def _train_model(self, input_fn: Callable[..., Any], hooks: List[Any], listeners: List[Any]) -> Any:
        if self._config._distribute_coordinator_mode is not None:
            raise ValueError(_WITHOUT_COORDINATOR.format("train", self._config.train_distribute.__class__.__name__))
        if self._train_distribution is not None:
            return replicated.train(self, input_fn, hooks, listeners)
        with script_api.tensorflow().Graph().as_default() as graph, graph.device(self._device_fn):
            tf.set_random_seed(self._config.tf_random_seed)
            tf.train.create_global_step(graph)
            runtime.create_global_step_read(graph)
            given = input_results.parse(self._call_input_fn(input_fn, ModeKeys.TRAIN))
            spec = self._call_model_fn(given.features, given.labels, ModeKeys.TRAIN, self.config)
            return training.run(self, spec, given.hooks, hooks, listeners)

    def _call_input_fn(self, input_fn: Callable[..., Any], mode: str, input_context: Any = None) -> Any:
        offered = {"mode": mode, "params": self.params, "config": self.config}
        if input_context is not None:
            offered["input_context"] = input_context
        with tf.device("/cpu:0"):
            return input_fn(**arguments.wanted(input_fn, offered))

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        offered = {"labels": labels, "mode": mode, "params": self.params, "config": config}
        given = arguments.wanted(self._model_fn, offered)
        if labels is not None and "labels" not in given:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        tf.logging.info("Calling model_fn.")
        spec = self._model_fn(features=features, **given)
        tf.logging.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec

    def _maybe_warm_start(self, checkpoint_path: Optional[str]) -> None:
        if self._warm_start_settings and not checkpoint_path:
            warm_start.start(self._warm_start_settings)

    def _latest_or_log(self, purpose: str) -> Optional[str]:
        latest = tf.train.latest_checkpoint(self._model_dir)
        if not latest:
            tf.logging.info(
                "Could not find trained model in model_dir: %s, running initialization to %s.", self._model_dir, purpose
            )
        return latest

    def _check_trained(self) -> None:
        if not self.latest_checkpoint():
            raise ValueError("Could not find trained model in model_dir: {}.".format(self.model_dir))

    def _check_not_overridden(self) -> None:
        members = {name for name in vars(Estimator) if not name.startswith("__")} - _MAY_OVERRIDE
        for kind in type(self).__mro__:
            if kind is Estimator:
                return
            both = sorted(members & set(vars(kind)))
            if both and not kind.__module__.startswith(__name__.split(".")[0]):
                raise ValueError(
                    "Subclasses of Estimator cannot override members of Estimator. {} does override {}".format(
                        kind, both
                    )
                )


def _check_positive(name: str, number: Optional[int]) -> None:
    if number is not None and number <= 0:
        raise ValueError("Must specify {} > 0, given: {}".format(name, number))


def _checked(given: Optional[Sequence[Any]], kind: type, sentence: str) -> List[Any]:
    for one in given or ():
        if not isinstance(one, kind):
            raise TypeError(sentence.format(one))
    return list(given or ())


def _saved_step(directory: str) -> Union[int, Any]:
    path = tf.train.latest_checkpoint(directory)
    if path is None:
        return 0
    reader = tf.train.NewCheckpointReader(path)
    return reader.get_tensor("global_step") if reader.has_tensor("global_step") else 0
