"""Exporters, which train_and_evaluate calls after an evaluation."""
import os
from typing import Any, Callable, Dict, Optional

from legacy_towers.compat.versions import tf

_SECONDS_DIGITS = 10  # the folders of exports are named by the seconds since 1970


class Exporter:
    """The base class of exporters; `name` is the folder of its exports below model_dir/export."""

    @property
    def name(self) -> str:
        raise NotImplementedError

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Exports a checkpoint after its evaluation.

        Args:
          estimator: the Estimator.
          export_path: the folder below which to export.
          checkpoint_path: the checkpoint that was evaluated.
          eval_result: the metrics of the evaluation.
          is_the_final_export: whether training has ended.

        Returns:
          the folder of the export, None if nothing was exported.
        """
        raise NotImplementedError


class _SavedModelExporter(Exporter):
    def __init__(
        self, name: str, serving_input_receiver_fn: Any, assets_extra: Any, as_text: bool, keep: Optional[int]
    ) -> None:
        if not name:
            raise ValueError('"name" argument is required.')
        if keep is not None and keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be a positive number. Got {}".format(keep))
        self._name = name
        self._serving_input_receiver_fn = serving_input_receiver_fn
        self._assets_extra = assets_extra
        self._as_text = as_text
        self._exports_to_keep = keep

    @property
    def name(self) -> str:
        return self._name

    def _write(self, estimator: Any, export_path: str, checkpoint_path: str) -> Any:
        written = estimator.export_saved_model(
            export_path,
            self._serving_input_receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )
        if self._exports_to_keep is not None:
            _delete_old(export_path, self._exports_to_keep)
        return written


class LatestExporter(_SavedModelExporter):
    """Exports after each evaluation and keeps the latest `exports_to_keep` exports."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Any = None,
        as_text: bool = False,
        exports_to_keep: Optional[int] = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        return self._write(estimator, export_path, checkpoint_path)


class FinalExporter(_SavedModelExporter):
    """Exports once, at the end of training."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Any = None,
        as_text: bool = False,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, None)

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        if not is_the_final_export:
            return None
        tf.logging.info("Performing the final export in the end of training.")
        return self._write(estimator, export_path, checkpoint_path)


def _loss_smaller(best_eval_result: Dict[str, Any], current_eval_result: Dict[str, Any]) -> bool:
    for results in (best_eval_result, current_eval_result):
        if not results or "loss" not in results:
            raise ValueError("an eval_result cannot be empty or no loss is found in it: {}".format(results))
    return bool(best_eval_result["loss"] > current_eval_result["loss"])


class BestExporter(_SavedModelExporter):
    """Exports if the evaluation is better than all before, those in event files included."""

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Optional[Callable[[], Any]] = None,
        event_file_pattern: Optional[str] = None,
        compare_fn: Callable[..., bool] = _loss_smaller,
        assets_extra: Any = None,
        as_text: bool = False,
        exports_to_keep: Optional[int] = 5,
    ) -> None:
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        self._compare = compare_fn
        self._event_file_pattern = event_file_pattern
        self._best: Optional[Dict[str, Any]] = None
        self._model_dir: Optional[str] = None

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        if self._model_dir != estimator.model_dir and self._event_file_pattern:
            self._model_dir = estimator.model_dir
            self._best = self._best_of(os.path.join(estimator.model_dir, self._event_file_pattern))
        if self._best is not None and not self._is_better(eval_result):
            return None
        tf.logging.info("Performing best model export.")
        self._best = eval_result
        return self._write(estimator, export_path, checkpoint_path)

    def _is_better(self, results: Dict[str, Any]) -> bool:
        return self._compare(best_eval_result=self._best, current_eval_result=results)

    def _best_of(self, pattern: str) -> Optional[Dict[str, Any]]:
        self._best = None
        for path in tf.gfile.Glob(pattern):
            for event in tf.train.summary_iterator(path):
                values = [value for value in event.summary.value if value.HasField("simple_value")]
                results = {value.tag: value.simple_value for value in values}
                if results and (self._best is None or self._is_better(results)):
                    self._best = results
        return self._best


def _delete_old(directory: str, keep: int) -> None:
    names = [name.rstrip("/") for name in tf.gfile.ListDirectory(directory)]
    versions = sorted(int(name) for name in names if len(name) == _SECONDS_DIGITS and name.isdigit())
    for version in versions[:-keep]:
        try:
            tf.gfile.DeleteRecursively(os.path.join(directory, str(version)))
        except tf.errors.NotFoundError as error:
            tf.logging.warning("Can not delete version %d in %s: %s", version, directory, error)
