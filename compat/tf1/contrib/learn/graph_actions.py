"""Export strategies of tf.contrib.learn, and run_n and run_feeds."""
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.estimator import arguments
from legacy_towers.compat.versions import tf

__all__ = ["ExportStrategy", "InputFnOps", "NotFittedError", "run_feeds", "run_n"]


class NotFittedError(ValueError, AttributeError):
    """Raised where an estimator is used before it is trained."""


class InputFnOps(NamedTuple):
    """The features, labels and placeholders that a serving input function returns."""

    features: Any
    labels: Any
    default_inputs: Dict[str, Any]


class ExportStrategy(NamedTuple):
    """A way to export a model.

    Attributes:
      name: the folder below the export base directory.
      export_fn: (estimator, export_path[, checkpoint_path][, eval_result][, strip_default_attrs]) -> the export's
        folder.
      strip_default_attrs: passed on to `export_fn`.
    """

    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: Any = None

    def export(
        self, estimator: Any, export_path: str, checkpoint_path: Optional[str] = None, eval_result: Any = None
    ) -> Any:
        """Exports `estimator` below `export_path` and returns the export's folder.

        Args:
          checkpoint_path: the checkpoint to export; None: the latest.
          eval_result: what `evaluate` returned for this checkpoint.
        """
        keywords = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        return self.export_fn(estimator, export_path, **arguments.wanted(self.export_fn, keywords))


def build_parsing_serving_input_fn(
    feature_spec: Dict[str, Any], default_batch_size: Optional[int] = None
) -> Callable[[], InputFnOps]:
    """Returns a serving input function that parses a placeholder [default_batch_size] of serialized examples."""

    def serving_input_fn() -> InputFnOps:
        serialized = tf.placeholder(tf.string, [default_batch_size], name="input_example_tensor")
        return InputFnOps(tf.parse_example(serialized, feature_spec), None, {"examples": serialized})

    return serving_input_fn


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: Optional[str] = None,
    assets_extra: Any = None,
    as_text: bool = False,
    exports_to_keep: Optional[int] = 5,
    strip_default_attrs: Any = None,
) -> ExportStrategy:
    """Returns an ExportStrategy named "Servo" that writes a SavedModel and keeps the newest `exports_to_keep`."""

    def export_fn(estimator: Any, export_dir_base: str, checkpoint_path: Optional[str] = None) -> Any:
        from legacy_towers.compat.tf1.estimator.export import exporters

        written = estimator.export_savedmodel(
            export_dir_base,
            serving_input_fn,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
        )
        if exports_to_keep:
            exporters._delete_old(export_dir_base, exports_to_keep)
        return written

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


def run_feeds_iter(
    output_dict: Dict[str, Any], feed_dicts: Iterable[Any], restore_checkpoint_path: Optional[str] = None
) -> Iterator[Any]:
    """Yields the values of the tensors `output_dict` for each of `feed_dicts`.

    Args:
      restore_checkpoint_path: the checkpoint of the variables; None: they are initialized.
    """
    graph = tf.get_default_graph()
    with graph.as_default(), script_api.tensorflow().Session("") as session:
        session.run(tf.local_variables_initializer())
        if restore_checkpoint_path:
            tf.train.Saver().restore(session, restore_checkpoint_path)
        else:
            session.run(tf.global_variables_initializer())
        session.run(tf.tables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            for feed in feed_dicts:
                yield session.run(output_dict, feed)
        finally:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=120)


def run_feeds(*args: Any, **options: Any) -> List[Any]:
    """Returns the values that `run_feeds_iter` yields as a list."""
    return list(run_feeds_iter(*args, **options))


def run_n(
    output_dict: Dict[str, Any],
    feed_dict: Any = None,
    restore_checkpoint_path: Optional[str] = None,
    n: int = 1,
) -> List[Any]:
    """Returns the values of the tensors `output_dict` in each of `n` runs."""
    return run_feeds(output_dict, [feed_dict] * n, restore_checkpoint_path)
