"""The table of all changes that this package makes in a process outside its own modules.

docs/pages/process_changes.md shows the table, and a test compares it with what differs in a process after an import,
at the first use of TensorFlow, while a script runs, and after it. This module imports no TensorFlow.
"""
from typing import NamedTuple, Tuple

# When a change is made.
FIRST_USE = "first use of `legacy_towers.compat.tf`"
OLD_NAMES = "first use of `tf.contrib` or `tf.estimator`"
RUN = "`legacy-towers run`"
RUN_KERAS = "`legacy-towers run`, from the script's `import keras` on"
RUN_LAYERS = "`legacy-towers run`, at the first use of `tf.layers` or of classes of `tf.keras`"
RUN_ERROR = "`legacy-towers run`, when the script raises an error"
PROFILE = "`tf.contrib.tfprof.ProfileContext`, `legacy-towers bottleneck`"


class Change(NamedTuple):
    """One change.

    Attributes:
      what: the attribute that is replaced, or the state of the process that changes; `*` matches any text.
      when: one of the constants above.
      why: what it is needed for.
      undo: how to avoid or undo it, or when it ends.
    """

    what: str
    when: str
    why: str
    undo: str


_WITH_SCRIPT = "ends with the script's process"
_TENSORFLOW = "tensorflow.python."
_TF_KERAS = "tf_keras.src."
_ARGUMENTS = "takes the arguments of Keras 1, such as `nb_epoch` and `border_mode`"

CHANGES: Tuple[Change, ...] = (
    Change(
        "tf.compat.v1.disable_v2_behavior()",
        FIRST_USE,
        "sessions, placeholders and variables need graph mode; not called if TF2 behaviour is off already",
        "use another process: TensorFlow can't switch back once there is a graph",
    ),
    Change(
        "sys.meta_path",
        OLD_NAMES,
        "the view of TensorFlow 1.x and the files of tf_slim and, for tf.contrib.gan, tensorflow_gan are importable "
        "below `legacy_towers.compat.tf1`",
        "remove the finders of `legacy_towers`; they find no other names",
    ),
    Change(
        "os.environ",
        RUN,
        "TF_USE_LEGACY_KERAS=1, so that the libraries of a script build layers with tf_keras too",
        "set TF_USE_LEGACY_KERAS yourself: your value is kept",
    ),
    Change("sys.meta_path", RUN, "loads the script's files with their imports rewritten", _WITH_SCRIPT),
    Change("sys.path", RUN, "begins with the script's folder, as with `python`", _WITH_SCRIPT),
    Change("threading.excepthook", RUN, "tracebacks of threads show the script's lines only", _WITH_SCRIPT),
    Change("sys.excepthook", RUN_ERROR, "the traceback has no frames of this package", _WITH_SCRIPT),
    Change("warnings.filters", RUN, "TensorFlow 2 warns of names that 1.15 did not warn of", "`run --warnings`"),
    Change(
        "logging", RUN, "deprecation warnings are counted, and reported in one line; the error by which "
        "`--timeout-steps` ends a thread is not logged", "`run --warnings`",
    ),
    Change("numpy.get_printoptions", RUN, "prints 1.5 as numpy 1 does, not np.float64(1.5)", _WITH_SCRIPT),
    Change(
        _TENSORFLOW + "framework.ops._default_graph_stack",
        RUN,
        "the default graph places the script's operations on the devices of this machine",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "training.session_manager.session",
        RUN,
        "MonitoredSession and Supervisor make sessions with the options of `run`",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "training.session_manager.SessionManager.__init__",
        RUN,
        "a worker looks each second whether the chief has initialized the variables, not after 30 seconds; it reports "
        "that it waits",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "client.session.BaseSession._make_callable_from_options",
        RUN,
        "the training steps of Keras's `fit()` are examined for errors too; `doctor` records and counts them",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "client.session.BaseSession.__init__",
        RUN,
        "the sessions of Keras and of other libraries have a logical CPU device for each GPU that the script names",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "distribute.distribute_lib.Strategy*.__init__",
        RUN,
        "the devices of a strategy are known before its first operation, when Keras makes its session",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "framework.tensor_shape.Dimension.__init__",
        RUN,
        "dimensions may be floats without a fraction, as on TensorFlow 1.15",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "framework.tensor_shape.Dimension.__bool__",
        RUN,
        "unknown dimensions are true in the script's files, as on TensorFlow 1.15",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "framework.tensor_shape.Dimension.__array_ufunc__",
        RUN,
        "numpy's arrays have powers of dimensions, as with numpy 1.18",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "framework.*.Tensor.__array__",
        RUN,
        "operators of numpy's arrays accept lists of tensors in the script's files, as with numpy 1.18",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "framework.*.Tensor.consumers",
        RUN,
        "the class has the method, as on TensorFlow 1.15",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "distribute.distribute_lib.Strategy*.experimental_run_v2",
        RUN,
        "strategies have the method of TensorFlow 1.15, which is `run` today",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "data.ops.optional_ops.Optional.*_structure",
        RUN,
        "the class has `none_from_structure` and `value_structure`, as on TensorFlow 1.15",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "data.*Options.*",
        RUN,
        "options that TensorFlow 2 dropped may be set; they choose optimizations and don't change the values",
        _WITH_SCRIPT,
    ),
    Change(
        _TF_KERAS + "engine.*.Layer.a*",
        RUN_LAYERS,
        "layers have `apply`, and `add_update` takes `inputs`, as on TensorFlow 1.15",
        _WITH_SCRIPT,
    ),
    Change(
        _TF_KERAS + "*.__init__",
        RUN_LAYERS,
        "layers, losses, metrics and image generators take positional arguments in the order of TensorFlow 1.15",
        _WITH_SCRIPT,
    ),
    Change(
        _TF_KERAS + "engine.training.Model.save",
        RUN_LAYERS,
        "takes positional arguments in the order of TensorFlow 1.15",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "autograph.pyct.parser.parse_entity",
        RUN,
        "AutoGraph reads the rewritten source of the script's functions",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "autograph.core.config.CONVERSION_RULES",
        RUN,
        "AutoGraph leaves functions of legacy_towers and tf_slim unconverted, as it does with TensorFlow's own",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "util.tf_stack._source_filter_stacks",
        RUN,
        "errors of TensorFlow show the script's lines, without frames of this package",
        _WITH_SCRIPT,
    ),
    Change(
        _TENSORFLOW + "client.session.BaseSession.run",
        PROFILE,
        "times and profiles the runs of all sessions, including those that TensorFlow makes internally",
        "leave the `with` block; ends with the process of `bottleneck`",
    ),
    Change(_TF_KERAS + "backend._SESSION", RUN_KERAS, "threads share Keras's session, as in Keras 2.2", _WITH_SCRIPT),
    Change(
        _TF_KERAS + "callbacks.CallbackList.on_epoch_end",
        RUN_KERAS,
        "logs have both `acc`, the name of Keras 2.2, and `accuracy`, the name of 2.3",
        _WITH_SCRIPT,
    ),
    Change(_TF_KERAS + "engine.*._init_set_name", RUN_KERAS, "layers are named from dense_1 on", _WITH_SCRIPT),
    Change(
        _TF_KERAS + "engine.*.get_config",
        RUN_KERAS,
        "a layer without `get_config` of its own can be saved",
        _WITH_SCRIPT,
    ),
    Change(_TF_KERAS + "engine.*.__init_subclass__", RUN_KERAS, "`build` of custom layers gets tuples", _WITH_SCRIPT),
    Change(_TF_KERAS + "engine.functional.Functional.__init__", RUN_KERAS, _ARGUMENTS, _WITH_SCRIPT),
    Change(_TF_KERAS + "engine.training.Model.__new__", RUN_KERAS, _ARGUMENTS, _WITH_SCRIPT),
    Change(
        _TF_KERAS + "engine.functional.Functional._graph_network_add_loss",
        RUN_KERAS,
        "losses of regularizers keep their gradients",
        _WITH_SCRIPT,
    ),
    Change(
        _TF_KERAS + "engine.*.Model.__setattr__",
        RUN_KERAS,
        "attributes may be set before `Model.__init__`",
        _WITH_SCRIPT,
    ),
    Change(_TF_KERAS + "engine.*.Model.fit*", RUN_KERAS, _ARGUMENTS, _WITH_SCRIPT),
    Change(_TF_KERAS + "engine.*.Model.*_generator", RUN_KERAS, _ARGUMENTS, _WITH_SCRIPT),
    Change(_TF_KERAS + "layers.*.__init__", RUN_KERAS, _ARGUMENTS, _WITH_SCRIPT),
    Change(_TF_KERAS + "optimizers.optimizer_v1.*.__init__", RUN_KERAS, _ARGUMENTS, _WITH_SCRIPT),
    Change(
        _TF_KERAS + "utils.losses_utils.squeeze_or_expand_dimensions",
        RUN_KERAS,
        "a model's output may be a scalar, its loss",
        _WITH_SCRIPT,
    ),
)


def table() -> str:
    """Returns the table in Markdown, a row for each change."""
    lines = ["| What | When | Why | How to undo it |", "| --- | --- | --- | --- |"]
    for change in CHANGES:
        lines.append("| `{}` | {} | {} | {} |".format(change.what, change.when, change.why, change.undo))
    return "\n".join(lines) + "\n"
