"""The prediction loop of an Estimator."""
from typing import Any, Dict, Iterator, List, Optional

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.estimator import input_results
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.versions import tf


def predict(
    estimator: Any, input_fn: Any, keys: Any, hooks: List[Any], checkpoint_path: Optional[str], one_by_one: bool
) -> Iterator[Any]:
    """Yields the predictions of each example, or of each batch."""
    old = script_api.tensorflow()
    config = estimator.config
    with old.Graph().as_default():
        tf.set_random_seed(config.tf_random_seed)
        tf.train.create_global_step()
        result = estimator._call_input_fn(input_fn, ModeKeys.PREDICT)
        given = input_results.parse(result)
        if not input_results.ends(given.features):
            tf.logging.warning(
                "Input graph does not use tf.data.Dataset or contain a QueueRunner. That means predict yields forever. "
                "This is probably a mistake."
            )
        spec = estimator._call_model_fn(given.features, None, ModeKeys.PREDICT, config)
        estimator._maybe_warm_start(checkpoint_path)
        wanted = _wanted(spec.predictions, keys)
        creator = old.train.ChiefSessionCreator(
            checkpoint_filename_with_path=checkpoint_path,
            master=config.master,
            scaffold=spec.scaffold,
            config=config.session_config,
        )
        with old.train.MonitoredSession(creator, hooks=given.hooks + hooks + list(spec.prediction_hooks)) as session:
            while not session.should_stop():
                values = session.run(wanted)
                if not one_by_one:
                    yield values
                elif not isinstance(wanted, dict):
                    yield from values
                else:
                    for number in range(_batch_size(values)):
                        yield {name: value[number] for name, value in values.items()}


def _wanted(predictions: Any, keys: Any) -> Any:
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    chosen = {name: value for name, value in predictions.items() if name in keys}
    if not chosen:
        raise ValueError("Expected to run at least one output from {}, provided {}.".format(list(predictions), keys))
    return chosen


def _batch_size(values: Dict[str, Any]) -> int:
    sizes = {name: value.shape[0] for name, value in values.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(
            "Batch length of predictions should be same, these differ: {}; yield_single_examples=False yields whole "
            "batches".format(sizes)
        )
    return next(iter(sizes.values()))
