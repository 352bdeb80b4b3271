"""Private functions of TensorFlow that an Estimator uses: evaluation loops, export signatures, strategies."""
import contextlib
from typing import Any, ContextManager, Dict, List, Optional, Sequence

# Private: tried on 1.15 and 2.21. tf.estimator ended with 2.15, but TensorFlow still has these functions.
from tensorflow.python.saved_model.model_utils import export_output, export_utils
from tensorflow.python.training import evaluation, training_util

from legacy_towers.compat.versions import tf

# The signature of an exported model that clients use by default.
SERVING_DEFAULT = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
ExportOutput = export_output.ExportOutput
ClassificationOutput = export_output.ClassificationOutput
PredictOutput = export_output.PredictOutput
RegressionOutput = export_output.RegressionOutput


def evaluate_once(
    checkpoint_path: Optional[str],
    master: str,
    scaffold: Any,
    eval_ops: Any,
    final_ops: Dict[str, Any],
    hooks: Sequence[Any],
    config: Any,
) -> Dict[str, Any]:
    """Runs `eval_ops` until a hook or the end of data stops it; returns the values of `final_ops`."""
    return evaluation._evaluate_once(
        checkpoint_path=checkpoint_path,
        master=master,
        scaffold=scaffold,
        eval_ops=eval_ops,
        final_ops=final_ops,
        hooks=list(hooks),
        config=config,
    )


def stop_after_evaluations(steps: int) -> Any:
    """Returns the hook that ends an evaluation after `steps` runs."""
    return evaluation._StopAfterNEvalsHook(num_evals=steps)


def create_evaluation_step() -> Any:
    """Makes the local variable that counts the runs of an evaluation, if there is none yet."""
    return evaluation._get_or_create_eval_step()


def create_global_step_read(graph: Any) -> Any:
    """Makes the tensor of the global step that `apply_gradients` reads before it increments it, if there is none."""
    return training_util._get_or_create_global_step_read(graph)


def add_global_step_read(tensor: Any) -> None:
    """Adds `tensor` to the collection of the tensor that reads the global step."""
    tf.add_to_collection(training_util.GLOBAL_STEP_READ_KEY, tensor)


def listeners_of(hook: Any) -> List[Any]:
    """Returns the list, which can be extended, of the listeners of a tf.train.CheckpointSaverHook."""
    return hook._listeners


def init_function_of(scaffold: Any) -> Any:
    """Returns the init_fn that was passed to a tf.train.Scaffold; its property `init_fn` binds the scaffold."""
    return scaffold._user_init_fn


def add_train_op(builder: Any, train_op: Any) -> None:
    """Adds `train_op`, or None, to the SavedModel that `builder` writes."""
    builder._add_train_op(train_op)


def export_tags(mode: str) -> List[str]:
    """Returns the tags of the graph of `mode` in a SavedModel."""
    return export_utils.EXPORT_TAG_MAP[mode]


def signatures(receiver: Any, spec: Any) -> Dict[str, Any]:
    """Returns name -> SignatureDef for the graph of `receiver` and the EstimatorSpec `spec`."""
    outputs = export_utils.export_outputs_for_mode(
        mode=spec.mode,
        serving_export_outputs=spec.export_outputs,
        predictions=spec.predictions,
        loss=spec.loss,
        metrics=spec.eval_metric_ops,
    )
    return export_utils.build_all_signature_defs(
        receiver.receiver_tensors,
        outputs,
        getattr(receiver, "receiver_tensors_alternatives", None),
        serving_only=spec.mode == "infer",
    )


def timestamped_directory(base: str) -> Any:
    """Returns a path below `base` named by the seconds since 1970; does not make the folder."""
    return export_utils.get_timestamped_export_dir(base)


def temporary_directory(directory: Any) -> Any:
    """Returns the path of the temporary folder that is renamed to `directory` when it is complete."""
    return export_utils.get_temp_export_dir(directory)


def checked_outputs(outputs: Optional[Dict[str, Any]], predictions: Any) -> Dict[str, Any]:
    """Returns the export outputs of a prediction, with one for the default serving signature."""
    return export_utils.get_export_outputs(outputs, predictions)


def scaled_losses(strategy: Any) -> ContextManager[Any]:
    """Returns a context in which optimizers divide a loss by the number of replicas, so that gradients are averaged."""
    enabled = getattr(strategy, "_scale_loss_for_estimator_enabled", None)
    return enabled() if enabled is not None else _nothing()


@contextlib.contextmanager
def _nothing() -> Any:
    yield
