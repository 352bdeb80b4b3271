"""tf.estimator.experimental."""
from typing import Any

from legacy_towers.compat.tf1.estimator import arguments
from legacy_towers.compat.tf1.estimator.canned.linear_sdca import LinearSDCA
from legacy_towers.compat.tf1.estimator.canned.networks import dnn_logit_fn_builder, linear_logit_fn_builder
from legacy_towers.compat.tf1.estimator.export.receivers import build_raw_supervised_input_receiver_fn
from legacy_towers.compat.tf1.estimator.loops.early_stopping import (
    make_early_stopping_hook,
    make_stop_at_checkpoint_step_hook,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)
from legacy_towers.compat.tf1.estimator.loops.in_memory_evaluation import InMemoryEvaluatorHook

__all__ = [
    "InMemoryEvaluatorHook",
    "LinearSDCA",
    "build_raw_supervised_input_receiver_fn",
    "call_logit_fn",
    "dnn_logit_fn_builder",
    "linear_logit_fn_builder",
    "make_early_stopping_hook",
    "make_stop_at_checkpoint_step_hook",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]


def call_logit_fn(logit_fn: Any, features: Any, mode: str, params: Any, config: Any) -> Any:
    """Returns the logits of `logit_fn`, called with `features` and those of the others that are arguments of it."""
    return logit_fn(features=features, **arguments.wanted(logit_fn, dict(mode=mode, params=params, config=config)))
