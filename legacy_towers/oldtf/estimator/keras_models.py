"""tf.keras.estimator: a compiled Keras model as an Estimator."""
import os
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat import estimators, keras_clones, tf
from legacy_towers.oldtf.estimator.estimator import Estimator
from legacy_towers.oldtf.estimator.export import PredictOutput
from legacy_towers.oldtf.estimator.mode_keys import ModeKeys
from legacy_towers.oldtf.estimator.run_config import with_directory
from legacy_towers.oldtf.estimator.spec import EstimatorSpec


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: Optional[str] = None,
    custom_objects: Optional[Dict[str, Any]] = None,
    model_dir: Optional[str] = None,
    config: Any = None,
    checkpoint_format: Optional[str] = "saver",
) -> Estimator:
    """Returns the Estimator of a compiled model, which begins with the weights that the model has now.

    Args:
      keras_model: the model, or
      keras_model_path: the HDF5 file of one that was saved.
      custom_objects: classes and functions that the model is made of, by name.
      checkpoint_format: "saver"; the checkpoints of tf.train.Checkpoint are not served.

    Raises:
      ValueError: no model or two, one that was not compiled, or another format.
    """
    if not (keras_model or keras_model_path):
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided.")
    if keras_model and keras_model_path:
        raise ValueError("Please specity either `keras_model` or `keras_model_path`, but not both.")
    if checkpoint_format not in ("saver", None):
        raise ValueError(
            'checkpoint_format="{}" is not served: leave it out, or take "saver"'.format(checkpoint_format)
        )
    config = with_directory(config, model_dir)
    if keras_model_path:
        keras_model = tf.keras.models.load_model(keras_model_path, custom_objects)
    if not getattr(keras_model, "optimizer", None):
        raise ValueError(
            "The given keras model has not been compiled yet. Please compile the model with `model.compile()` before "
            "calling `model_to_estimator()`."
        )
    first = _first_checkpoint(keras_model, custom_objects, config) if keras_clones.is_copied(keras_model) else None
    return Estimator(_model_fn(keras_model, custom_objects), config=config, warm_start_from=first)


def _model_fn(keras_model: Any, custom_objects: Any) -> Callable[..., EstimatorSpec]:
    # Here, not in the estimator's graph: reading its settings may need the session of the model.
    optimizer_config = _optimizer_config(keras_model)

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        tf.keras.backend.set_learning_phase(int(mode == ModeKeys.TRAIN))
        features, sample_weights = _without_weights(features)
        names = _names(keras_model, features, labels)
        inputs, targets = _in_order(features, names[0], "features"), _in_order(labels, names[1], "labels")
        if mode == ModeKeys.PREDICT:
            model = keras_clones.clone(keras_model, inputs, targets, custom_objects, optimizer_config)
        else:
            step = tf.train.get_or_create_global_step()
            model = keras_clones.clone(keras_model, inputs, targets, custom_objects, optimizer_config, step)
            if sample_weights is not None:
                keras_clones.weigh(model, sample_weights)
        predictions = dict(zip(model.output_names, model.outputs))
        loss = train_op = metrics = None
        if mode != ModeKeys.PREDICT:
            train_op = keras_clones.train_op(model) if mode == ModeKeys.TRAIN else None
            loss = model.total_loss if mode == ModeKeys.TRAIN else keras_clones.total_loss(model)
            metrics = keras_clones.metrics(model)
        keras_clones.restore(keras_model)
        return EstimatorSpec(
            mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            export_outputs={estimators.SERVING_DEFAULT: PredictOutput(predictions)},
        )

    return model_fn


def _optimizer_config(keras_model: Any) -> Any:
    try:
        return keras_model.optimizer.get_config()
    except (NotImplementedError, AttributeError):  # those of tf.train have none
        return None


def _first_checkpoint(keras_model: Any, custom_objects: Any, config: Any) -> str:
    """Writes the weights that the model has, and returns the path of the checkpoint."""
    folder = os.path.join(config.model_dir, "keras")
    found = tf.train.latest_checkpoint(folder)
    if found:
        return str(found)
    weights = keras_model.get_weights() if keras_clones.has_weights(keras_model) else None
    optimizer_config = _optimizer_config(keras_model)
    tf.gfile.MakeDirs(folder)
    with tf.Graph().as_default():
        tf.set_random_seed(config.tf_random_seed)
        tf.keras.backend.set_learning_phase(1)
        step = tf.train.create_global_step()
        model = keras_clones.clone(keras_model, None, None, custom_objects, optimizer_config, step)
        # Slots are variables, too.
        keras_clones.train_op(model)
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
    if keras_clones.is_copied(keras_model):
        return keras_model.input_names, keras_model.output_names
    counts = [len(given) if isinstance(given, dict) else 0 for given in (features, labels)]
    return [
        ["{}_{}".format(name, number + 1) for number in range(count)]
        for name, count in zip(("input", "output"), counts)
    ]


def _in_order(given: Any, names: Sequence[str], what: str) -> Optional[List[Any]]:
    """Returns the tensors of `given` in the order of the model's `names`.

    Raises:
      KeyError: a dictionary has other names.
    """
    if given is None:
        return None
    if isinstance(given, dict):
        if set(given) != set(names):
            raise KeyError(
                "The dictionary passed into {} has not the keys that the keras model defines. Expected: {}. "
                "Found: {}".format(what, sorted(names), sorted(given))
            )
        given = [given[name] for name in names]
    return [_tensor(each) for each in (given if isinstance(given, (list, tuple)) else [given])]


def _tensor(value: Any) -> Any:
    return value if tf.is_tensor(value) else tf.convert_to_tensor(value)
