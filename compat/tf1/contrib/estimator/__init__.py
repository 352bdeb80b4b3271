"""tf.contrib.estimator: replicate_model_fn, and names that moved to tf.estimator."""
from legacy_towers.compat.tf1.contrib.estimator.heads import (
    binary_classification_head,
    clip_gradients_by_norm,
    forward_features,
    logistic_regression_head,
    multi_class_head,
    multi_head,
    multi_label_head,
    poisson_regression_head,
    regression_head,
)
from legacy_towers.compat.tf1.contrib.estimator.towers import TowerOptimizer, replicate_model_fn
from legacy_towers.compat.tf1.estimator.canned.networks import dnn_logit_fn_builder, linear_logit_fn_builder
from legacy_towers.compat.tf1.estimator.experimental import call_logit_fn
from legacy_towers.compat.tf1.estimator.export.receivers import build_raw_supervised_input_receiver_fn
from legacy_towers.compat.tf1.estimator.extenders import add_metrics
from legacy_towers.compat.tf1.estimator.loops.early_stopping import (
    make_early_stopping_hook,
    make_stop_at_checkpoint_step_hook,
    read_eval_metrics,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)
from legacy_towers.compat.tf1.estimator.loops.in_memory_evaluation import InMemoryEvaluatorHook

__all__ = [
    "InMemoryEvaluatorHook",
    "TowerOptimizer",
    "add_metrics",
    "binary_classification_head",
    "build_raw_supervised_input_receiver_fn",
    "call_logit_fn",
    "clip_gradients_by_norm",
    "dnn_logit_fn_builder",
    "export_all_saved_models",
    "export_saved_model_for_mode",
    "forward_features",
    "linear_logit_fn_builder",
    "logistic_regression_head",
    "make_early_stopping_hook",
    "make_stop_at_checkpoint_step_hook",
    "multi_class_head",
    "multi_head",
    "multi_label_head",
    "poisson_regression_head",
    "read_eval_metrics",
    "regression_head",
    "replicate_model_fn",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]


def export_saved_model_for_mode(  # type: ignore
    estimator,
    export_dir_base,
    input_receiver_fn,
    assets_extra=None,
    as_text=False,
    checkpoint_path=None,
    strip_default_attrs=True,
    mode="infer",
):
    """Writes a SavedModel with the graph of one mode; returns its directory."""
    from legacy_towers.compat.tf1.estimator.export import saved_model

    receivers = {mode: input_receiver_fn}
    return saved_model.export(
        estimator, export_dir_base, receivers, assets_extra, as_text, checkpoint_path, strip_default_attrs
    )


def export_all_saved_models(  # type: ignore
    estimator,
    export_dir_base,
    input_receiver_fn_map,
    assets_extra=None,
    as_text=False,
    checkpoint_path=None,
    strip_default_attrs=True,
):
    """Writes a SavedModel with a graph for each mode in `input_receiver_fn_map`; returns its directory."""
    from legacy_towers.compat.tf1.estimator.export import saved_model

    return saved_model.export(
        estimator, export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path, strip_default_attrs
    )
