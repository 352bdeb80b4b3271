"""Export of a trained model as a SavedModel."""
import os
from typing import Any, Callable, Dict, Optional

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.versions import tf


def export(
    estimator: Any,
    export_dir_base: str,
    receivers: Dict[str, Callable[[], Any]],
    assets_extra: Optional[Dict[str, str]],
    as_text: bool,
    checkpoint_path: Optional[str],
    strip_default_attrs: bool,
) -> bytes:
    """Writes a SavedModel with a graph for each mode of `receivers`; returns its folder.

    Raises:
      ValueError: there is no checkpoint, `receivers` has no mode, or a graph has variables that the checkpoint lacks.
    """
    checkpoint_path = checkpoint_path or estimator.latest_checkpoint()
    if not checkpoint_path:
        raise ValueError("Couldn't find trained model at {}.".format(estimator.model_dir))
    modes = [mode for mode in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT) if receivers.get(mode)]
    if not modes:
        raise ValueError("No valid modes for exporting found. Got {}.".format(list(receivers)))
    directory = runtime.timestamped_directory(export_dir_base)
    unfinished = runtime.temporary_directory(directory)
    builder = tf.saved_model.Builder(unfinished)
    for mode in modes:
        _add_graph(estimator, builder, receivers[mode], checkpoint_path, mode, strip_default_attrs, mode == modes[0])
    builder.save(as_text)
    for destination, source in (assets_extra or {}).items():
        path = os.path.join(tf.compat.as_bytes(unfinished), b"assets.extra", tf.compat.as_bytes(destination))
        tf.gfile.MakeDirs(os.path.dirname(path))
        tf.gfile.Copy(source, path)
    tf.gfile.Rename(unfinished, directory)
    return directory


def _add_graph(
    estimator: Any, builder: Any, receiver_fn: Any, checkpoint_path: str, mode: str, strip: bool, is_first: bool
) -> None:
    old = script_api.tensorflow()
    with old.Graph().as_default() as graph:
        tf.train.create_global_step(graph)
        tf.set_random_seed(estimator.config.tf_random_seed)
        receiver = receiver_fn()
        spec = estimator._call_model_fn(receiver.features, getattr(receiver, "labels", None), mode, estimator.config)
        signatures = runtime.signatures(receiver, spec)
        with old.Session(config=estimator.config.session_config) as session:
            local_init_op = spec.scaffold.local_init_op
            if local_init_op is None:
                local_init_op = tf.train.Scaffold.default_local_init_op()
            saver = spec.scaffold.saver or tf.train.Saver(sharded=True)
            try:
                saver.restore(session, checkpoint_path)
            except tf.errors.NotFoundError as error:
                raise ValueError(
                    "Could not load all requested variables from checkpoint. Please make sure your model_fn does not "
                    "expect variables that were not saved in the checkpoint.\n\nEncountered error with mode `{}` "
                    "while restoring checkpoint from: `{}`. Full Traceback:\n\n{}".format(mode, checkpoint_path, error)
                ) from error
            runtime.add_train_op(builder, spec.train_op)
            described = dict(
                tags=runtime.export_tags(mode),
                signature_def_map=signatures,
                assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
                main_op=local_init_op,
                saver=saver,
                strip_default_attrs=strip,
            )
            if is_first:
                builder.add_meta_graph_and_variables(session, **described)
            else:
                builder.add_meta_graph(**described)
