"""`lt.export`: writes the model of a job, or of a model function, as a SavedModel."""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, TextIO, Tuple, Union

from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.data import structure
from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.tensor_types import NestedTensors
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.names import quoted
from legacy_towers.text.tables import format_table
from legacy_towers.towers.output import PREDICT, TowerOutput
from legacy_towers.towers.replicate import replicate
from legacy_towers.training.building import announced_build
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.best import chosen_checkpoint
from legacy_towers.training.checkpoints.fits import check_fits
from legacy_towers.training.checkpoints.verify import damage, step_in
from legacy_towers.training.evaluation.restored_model import restored_variables
from legacy_towers.training.export.directory import new_directory
from legacy_towers.training.export.served_inputs import (
    PREDICTIONS,
    ServedInputs,
    batch_inputs,
    components,
    like,
    record_inputs,
)
from legacy_towers.training.export.serving_graph import Served, find_served, renaming, serving_meta_graph
from legacy_towers.training.job import Job, JobFunction
from legacy_towers.training.settings import check_at_least_one

ModelFn = Callable[[Any, str], TowerOutput]
# Name of an input or output -> (tensor of the built graph, the new names of its components).
Renamed = Dict[str, Tuple[Any, List[str]]]
SIGNATURE: str = "serving_default"


@documented_fields
class Exported(NamedTuple):
    """An exported model.

    Attributes:
      path: the directory of the SavedModel.
      checkpoint: the prefix of the checkpoint that its values are from.
      step: the global step of the checkpoint; None if it has none.
      inputs: name -> (dtype, shape), such as ("float32", [None, 28, 28]); the shape is None where it is not known.
      outputs: the same for the outputs.
    """

    path: str
    checkpoint: str
    step: Optional[int]
    inputs: Dict[str, Tuple[str, Optional[List[Optional[int]]]]]
    outputs: Dict[str, Tuple[str, Optional[List[Optional[int]]]]]

    def __str__(self) -> str:
        rows = [
            [kind, name, "{} {}".format(dtype, "of unknown shape" if shape is None else shape)]
            for kind, tensors in (("input", self.inputs), ("output", self.outputs))
            for name, (dtype, shape) in tensors.items()
        ]
        return "exported {} to {}, signature {}\n{}".format(
            self.checkpoint, self.path, SIGNATURE, format_table(["", "name", "dtype and shape"], rows)
        )


def export(
    model: Union[Job, ModelFn],
    checkpoint: str,
    output: str,
    batch: Any = None,
    outputs: Optional[Sequence[str]] = None,
    batch_size: Optional[int] = None,
    serialized: bool = False,
    moving_average_decay: Optional[float] = None,
    best: bool = False,
    stream: Optional[TextIO] = None,
) -> Exported:
    """Exports a trained model as a SavedModel, for one device, without towers, input pipeline and training ops.

        lt.export(digits(), "run", "models/digits/1")
        lt.export(model_fn, "run/model.ckpt-500", "models/1", batch={"x": tf.TensorSpec([None, 8], tf.float32)})

    The model function is called once, with mode lt.PREDICT, and what its predictions need is exported, in the signature
    "serving_default". The inputs have the names of the components of a batch that the predictions need ("image", or
    "pair/0" in a nested structure, "batch" if a batch is one tensor). The outputs have the names of the predictions, as
    in a file that `legacy-towers predict` writes. Files of lookup tables become assets.

    Args:
      model: a job, or a model function, which takes (batch, mode) and returns a `TowerOutput`.
      checkpoint: a checkpoint directory, whose newest valid checkpoint is exported, or a checkpoint, such as
        "run/model.ckpt-500".
      output: the directory to create. It must not exist; it is complete, or absent.
      batch: Examples, or a structure of `tf.TensorSpec` and `tf.SparseTensorSpec` with the batch axis, [None, ...];
        None: the test examples of the job, or else its training examples.
      outputs: the names of the predictions to export; None: all.
      batch_size: a fixed first dimension of inputs; None: any batch size.
      serialized: whether the input is a vector of serialized records, named "examples", which the parse function of the
        Examples parses: for TFRecords, fixed-length records and lines.
      moving_average_decay: with a model function, whether the moving averages of the variables are exported: the
        argument of `lt.build_train_step` in training. A job has its own.
      best: whether to export the best checkpoint of the directory, by --keep-best in training, not the newest one.
      stream: where to report that building the graph takes long; None writes nothing.

    Raises:
      ArgumentError: `output` exists, `batch` is missing or can't be served, or there is no such output.
      JobError: there is no checkpoint that fits; there are no predictions; or they need what can't be served: an op
        that calls Python or reads an input pipeline, a placeholder, or an op that writes a variable.
    """
    check_at_least_one("batch_size", batch_size)
    model_fn, batch, moving_average_decay = _model_of(model, batch, moving_average_decay)
    prefix = _prefix_of(checkpoint, best)
    with new_directory(output) as unfinished:
        with tf.Graph().as_default() as graph:
            with announced_build(1, stream):
                with tf.device("/cpu:0"):
                    tf.train.get_or_create_global_step()
                inputs = (record_inputs if serialized else batch_inputs)(batch, batch_size)
                (tower,) = replicate(model_fn, [inputs.batch], ["/cpu:0"], mode=PREDICT)
            chosen = _chosen_outputs(tower.output.predictions, outputs, batch_size)
            fed = [each for leaf in inputs.placeholders.values() for each in components(leaf)]
            served = find_served(graph, fed, [each for leaf in chosen.values() for each in components(leaf)])
            variables = restored_variables(moving_average_decay, served.variables)
            check_fits(prefix, variables)
            # One saver restores and saves, so that the names in the exported variables are those in the checkpoint.
            saver = tf.train.Saver(variables)
            needed = _needed_inputs(inputs, served)
            rename = renaming(graph, _placeholder_names(needed))
            meta = serving_meta_graph(graph, served, saver, rename)
        with tf.Graph().as_default() as graph:
            signature = _write(meta, prefix, unfinished, _renamed(needed, rename), _renamed(chosen, rename))
    return Exported(output, prefix, step_in(prefix), *signature)


def _model_of(
    model: Union[Job, ModelFn], batch: Any, moving_average_decay: Optional[float]
) -> Tuple[ModelFn, Any, Optional[float]]:
    if isinstance(model, JobFunction):
        raise ArgumentError(
            "give the job that {0!r} returns, not the function: lt.export({0}(), ...)".format(model.name)
        )
    if not isinstance(model, Job):
        if batch is None:
            raise ArgumentError(
                "batch is missing: give the Examples that the model function gets, or their tf.TensorSpecs with the "
                "batch axis"
            )
        return model, batch, moving_average_decay
    if moving_average_decay is not None:
        raise ArgumentError("moving_average_decay: a job has its own; give it with a model function only")
    if batch is None:
        batch = model.train if model.test is None else model.test
    return model.model_fn, batch, model.moving_average_decay


def _prefix_of(checkpoint: str, best: bool) -> str:
    if files.is_directory(checkpoint) or not files.exists(checkpoint + ".index"):
        return chosen_checkpoint(checkpoint, best)
    if best:
        raise ArgumentError("best=True needs a checkpoint directory, and {!r} is one checkpoint".format(checkpoint))
    wrong = damage(checkpoint)
    if wrong:
        raise JobError("the checkpoint {} is damaged: {}".format(checkpoint, wrong))
    return checkpoint


def _chosen_outputs(
    predictions: Optional[NestedTensors], names: Optional[Sequence[str]], batch_size: Optional[int]
) -> Dict[str, Any]:
    """Returns name of an output -> dense or sparse tensor."""
    if predictions is None:
        raise JobError("the model function returned no predictions for mode 'predict'")
    found = {path or PREDICTIONS: _tensor(path, leaf) for path, leaf in structure.leaves(predictions)}
    for name in names or ():
        if name not in found:
            raise ArgumentError("there is no output {!r}: the predictions are {}".format(name, quoted(found)))
    chosen = {name: found[name] for name in found if names is None or name in names}
    for name, leaf in chosen.items():
        if leaf.shape.ndims == 0 or (leaf.shape.ndims and leaf.shape[:1].as_list()[0] not in (None, batch_size)):
            raise JobError("the prediction {!r} has shape {}: its first axis must be the example".format(
                name, leaf.shape.as_list()
            ))
    return chosen


def _tensor(path: str, leaf: Any) -> Any:
    if isinstance(leaf, tf.SparseTensor):
        return leaf
    try:
        return tf.convert_to_tensor(leaf)
    except (TypeError, ValueError):
        raise JobError("the prediction {!r} is a {}: an exported model returns dense and sparse tensors".format(
            path or PREDICTIONS, type(leaf).__name__
        )) from None


def _needed_inputs(inputs: ServedInputs, served: Served) -> Dict[str, Any]:
    needed = {
        name: leaf for name, leaf in inputs.placeholders.items()
        if any(each.op in served.operations for each in components(leaf))
    }
    if not needed:
        raise JobError("the predictions need no component of the batch ({})".format(quoted(inputs.placeholders)))
    return needed


def _placeholder_names(inputs: Dict[str, Any]) -> Dict[str, str]:
    """Returns node name of each placeholder -> the name that it shall have."""
    names = {}
    for name, leaf in inputs.items():
        tensors = components(leaf)
        parts = [name] if len(tensors) == 1 else [name + "/" + part for part in ("indices", "values", "dense_shape")]
        names.update({tensor.op.name: part for tensor, part in zip(tensors, parts)})
    return names


def _renamed(tensors: Dict[str, Any], rename: Callable[[str], str]) -> Renamed:
    return {name: (leaf, [rename(each.name) for each in components(leaf)]) for name, leaf in tensors.items()}


def _write(meta: Any, prefix: str, path: str, inputs: Renamed, outputs: Renamed) -> Tuple[Any, Any]:
    """Writes the SavedModel from a MetaGraphDef, in the default graph; returns (dtype, shape) of inputs and outputs."""
    graph = tf.get_default_graph()
    saver = tf.train.import_meta_graph(meta)
    tensors = [
        {name: like(leaf, [graph.get_tensor_by_name(each) for each in new]) for name, (leaf, new) in part.items()}
        for part in (inputs, outputs)
    ]
    signature = tf.saved_model.build_signature_def(
        *[{name: tf.saved_model.build_tensor_info(leaf) for name, leaf in part.items()} for part in tensors],
        method_name=tf.saved_model.PREDICT_METHOD_NAME
    )
    initialize = tf.group(tf.local_variables_initializer(), tf.tables_initializer(), name="initialize_tables")
    with tf.Session(config=session_config(hide_gpus=True, soft_placement=True)) as session:
        saver.restore(session, prefix)
        assets = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
        _check_assets(session.run(assets))
        builder = tf.saved_model.Builder(path)
        builder.add_meta_graph_and_variables(
            session,
            [tf.saved_model.SERVING],
            signature_def_map={SIGNATURE: signature},
            assets_collection=assets,
            main_op=initialize,
            clear_devices=True,
            strip_default_attrs=True,  # so that an older TensorFlow, which lacks newer attributes, can load it
            saver=saver,
        )
        builder.save()
    return tuple(  # type: ignore[return-value]  # two of them
        {
            name: (leaf.dtype.name, None if leaf.shape.ndims is None else leaf.shape.as_list())
            for name, leaf in part.items()
        }
        for part in tensors
    )


def _check_assets(paths: List[bytes]) -> None:
    for path in paths:
        name = path.decode("utf-8", "replace")
        if not files.exists(name):
            raise JobError(
                "a lookup table of the model reads {!r}, which does not exist: it can't be exported".format(name)
            )
