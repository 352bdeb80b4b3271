"""tf.keras.estimator.model_to_estimator: a compiled Keras model as an Estimator."""
import os
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat.tf1.estimator.estimator import Estimator
from legacy_towers.compat.tf1.estimator.export.receivers import PredictOutput
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.tf1.estimator.run_config import with_directory
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.tf1.keras.private import clones
from legacy_towers.compat.versions import tf


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: Optional[str] = None,
    custom_objects: Optional[Dict[str, Any]] = None,
    model_dir: Optional[str] = None,
    config: Any = None,
    checkpoint_format: Optional[str] = "saver",
) -> Estimator:
    """Returns an Estimator of a compiled model, which starts with the current weights of the model.

    Args:
      keras_model: a compiled model; either it or `keras_model_path` is needed.
      keras_model_path: the HDF5 file of a saved model.
      custom_objects: name -> custom class or function of the model.
      model_dir: see `Estimator`.
      config: see `Estimator`.
      checkpoint_format: "saver"; checkpoints of tf.train.Checkpoint are not supported.

    Raises:
      ValueError: both models or none are given, the model is not compiled, or `checkpoint_format` is another.
    """
    if not (keras_model or keras_model_path):
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided.")
    if keras_model and keras_model_path:
        raise ValueError("Please specity either `keras_model` or `keras_model_path`, but not both.")
    if checkpoint_format not in ("saver", None):
        raise ValueError(
            'checkpoint_format="{}" is not supported: remove it, or use "saver"'.format(checkpoint_format)
        )
    config = with_directory(config, model_dir)
    if keras_model_path:
        keras_model = tf.keras.models.load_model(keras_model_path, custom_objects)
    if not getattr(keras_model, "optimizer", None):
        raise ValueError(
            "The given keras model has not been compiled yet. Please compile the model with `model.compile()` before "
            "calling `model_to_estimator()`."
        )
    first = _first_checkpoint(keras_model, custom_objects, config) if clones.is_copied(keras_model) else None
    return Estimator(_model_fn(keras_model, custom_objects), config=config, warm_start_from=first)


def _model_fn(keras_model: Any, custom_objects: Any) -> Callable[..., EstimatorSpec]:
    # Outside the estimator's graph, since reading the optimizer's settings may need the session of the model.
    optimizer_config = _optimizer_config(keras_model)

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        tf.keras.backend.set_learning_phase(int(mode == ModeKeys.TRAIN))
        features, sample_weights = _without_weights(features)
        names = _names(keras_model, features, labels)
        inputs, targets = _in_order(features, names[0], "features"), _in_order(labels, names[1], "labels")
        if mode == ModeKeys.PREDICT:
            model = clones.clone(keras_model, inputs, targets, custom_objects, optimizer_config)
        else:
            step = tf.train.get_or_create_global_step()
            model = clones.clone(keras_model, inputs, targets, custom_objects, optimizer_config, step)
            if sample_weights is not None:
                clones.weigh(model, sample_weights)
        predictions = dict(zip(model.output_names, model.outputs))
        loss = train_op = metrics = None
        if mode != ModeKeys.PREDICT:
            train_op = clones.train_op(model) if mode == ModeKeys.TRAIN else None
            loss = model.total_loss if mode == ModeKeys.TRAIN else clones.total_loss(model)
            metrics = clones.metrics(model)
        clones.restore(keras_model)
        return EstimatorSpec(
            mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            export_outputs={runtime.SERVING_DEFAULT: PredictOutput(predictions)},
        )

    return model_fn


def _optimizer_config(keras_model: Any) -> Any:
    try:
        return keras_model.optimizer.get_config()
    except (NotImplementedError, AttributeError):  # a tf.train.Optimizer
        return None


def _first_checkpoint(keras_model: Any, custom_objects: Any, config: Any) -> str:
    """Saves the current weights of the model, and returns the path of the checkpoint."""
    folder = os.path.join(config.model_dir, "keras")
    found = tf.train.latest_checkpoint(folder)
    if found:
        return str(found)
    weights = keras_model.get_weights() if clones.has_weights(keras_model) else None
    optimizer_config = _optimizer_config(keras_model)
    tf.gfile.MakeDirs(folder)
    with tf.Graph().as_default():
        tf.set_random_seed(config.tf_random_seed)
        tf.keras.backend.set_learning_phase(1)
        step = tf.train.create_global_step()
        model = clones.clone(keras_model, None, None, custom_objects, optimizer_config, step)
        # Makes the slots of the optimizer, which the checkpoint contains too.
        clones.train_op(model)
        with tf.Session(config=config.session_config) as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            if weights is not None:
                model.set_weights(weights)
            return str(tf.train.Saver().save(session, os.path.join(folder, "keras_model.ckpt")))


def _without_weights(features: Any) -> Any:
    """Returns (features, sample weights or None)."""
    if isinstance(features, dict) and set(features) == {"features", "sample_weights"}:
        return features["features"], features["sample_weights"]
    return features, None


def _names(keras_model: Any, features: Any, labels: Any) -> Any:
    if clones.is_copied(keras_model):
        return keras_model.input_names, keras_model.output_names
    counts = [len(given) if isinstance(given, dict) else 0 for given in (features, labels)]
    return [
        ["{}_{}".format(name, number + 1) for number in range(count)]
        for name, count in zip(("input", "output"), counts)
    ]


def _in_order(given: Any, names: Sequence[str], what: str) -> Optional[List[Any]]:
    """Returns the tensors of `given` in the order of the model's `names`.

    Raises:
      KeyError: a dict has other keys.
    """
    if given is None:
        return None
    if isinstance(given, dict):
        if set(given) != set(names):
            raise KeyError(
                "The dictionary passed into {} must have the keys defined in the keras model. Expected keys: {}, "
                "found keys: {}".format(what, sorted(names), sorted(given))
            )
        given = [given[name] for name in names]
    return [_tensor(each) for each in (given if isinstance(given, (list, tuple)) else [given])]


def _tensor(value: Any) -> Any:
    return value if tf.is_tensor(value) else tf.convert_to_tensor(value)
