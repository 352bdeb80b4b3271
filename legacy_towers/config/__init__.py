"""Creates a ConfigProto from keywords: `session_config(allow_growth=True, logical_cpus=4)`."""
import difflib
from typing import TYPE_CHECKING, Any, List, Mapping, NamedTuple, Optional, Sequence, Union

from legacy_towers.config import proto_values as values
from legacy_towers.config.proto_values import Converter
from legacy_towers.errors import ArgumentError

if TYPE_CHECKING:
    from legacy_towers.compat import tf


class Option(NamedTuple):
    keyword: str
    path: str  # of the field in ConfigProto
    convert: Converter  # from the keyword's value to the field's
    allowed: str  # the allowed values, for the error message


_XLA = {"default": 0, "off": -1, "on": 1, "on_1": 1, "on_2": 2}

OPTIONS = (
    Option("soft_placement", "allow_soft_placement", values.boolean, "True or False"),
    Option("log_device_placement", "log_device_placement", values.boolean, "True or False"),
    Option("logical_cpus", "device_count[CPU]", values.whole(1), "a whole number of at least 1"),
    Option("hide_gpus", "device_count[GPU]", values.zero_if_true, "True or False"),
    Option(
        "memory_fraction",
        "gpu_options.per_process_gpu_memory_fraction",
        values.fraction,
        "a number above 0 and up to 1",
    ),
    Option("allow_growth", "gpu_options.allow_growth", values.boolean, "True or False"),
    Option(
        "visible_gpus",
        "gpu_options.visible_device_list",
        values.gpu_list,
        'different GPU numbers, as [0, 2] or "0,2"',
    ),
    Option(
        "virtual_gpus",
        "gpu_options.experimental.virtual_devices",
        values.virtual_gpus,
        "for each physical GPU a list of memory limits in MiB, as [[2048, 2048], [4096]]",
    ),
    Option(
        "intra_op_threads",
        "intra_op_parallelism_threads",
        values.whole(0),
        "a whole number of threads, 0 for as many as there are cores",
    ),
    Option(
        "inter_op_threads",
        "inter_op_parallelism_threads",
        values.whole(-1),
        "a whole number of threads, 0 for as many as there are cores, -1 for the calling thread alone",
    ),
    Option("per_session_threads", "use_per_session_threads", values.boolean, "True or False"),
    Option(
        "xla",
        "graph_options.optimizer_options.global_jit_level",
        values.one_of(_XLA),
        "one of " + ", ".join(sorted(_XLA)),
    ),
    Option(
        "device_filters",
        "device_filters",
        values.device_filters,
        'device name prefixes, as ["/job:ps", "/job:worker/task:1"]',
    ),
    Option(
        "operation_timeout",
        "operation_timeout_in_ms",
        values.milliseconds,
        "a number of seconds, at least 0.001",
    ),
    Option(
        "collective_leader",
        "experimental.collective_group_leader",
        values.task,
        'a task of the cluster, as "/job:worker/task:0"',
    ),
)


def session_config(
    *,
    base: "Optional[tf.ConfigProto]" = None,
    soft_placement: Optional[bool] = None,
    log_device_placement: Optional[bool] = None,
    logical_cpus: Optional[int] = None,
    hide_gpus: Optional[bool] = None,
    memory_fraction: Optional[float] = None,
    allow_growth: Optional[bool] = None,
    visible_gpus: Union[None, str, Sequence[int]] = None,
    virtual_gpus: Optional[Sequence[Sequence[float]]] = None,
    intra_op_threads: Optional[int] = None,
    inter_op_threads: Optional[int] = None,
    per_session_threads: Optional[bool] = None,
    xla: Optional[str] = None,
    grappler: Union[None, bool, Mapping[str, Any]] = None,
    device_filters: Union[None, str, Sequence[str]] = None,
    operation_timeout: Optional[float] = None,
    collective_leader: Optional[str] = None,
    experimental: Optional[Mapping[str, Any]] = None,
    **unknown: Any
) -> "tf.ConfigProto":
    """Returns a ConfigProto; fields without a keyword keep their value in `base`, or TensorFlow's default.

    A process creates its GPU memory pools and its shared thread pools once, for its first session. The options of
    later sessions for them have no effect, except the inter-op threads under `per_session_threads`.

    Args:
        base: a configuration to start from; it is copied.
        soft_placement: whether TensorFlow may place an op on another device than the requested one.
        log_device_placement: whether TensorFlow logs each op's device.
        logical_cpus: number of logical CPU devices, /cpu:0 and up, that share this machine's cores.
        hide_gpus: whether the session uses no GPUs.
        memory_fraction: fraction of each GPU's memory to reserve at the start, above 0 and up to 1.
        allow_growth: whether GPU memory is reserved as it is needed.
        visible_gpus: the physical GPUs that become /gpu:0 and up, in this order: [2, 0] or "2,0".
        virtual_gpus: for each physical GPU the memory limits, in MiB, of the logical devices that it is split into.
        intra_op_threads: threads within an op; 0: as many as there are cores.
        inter_op_threads: threads that run ops; 0: as many as there are cores, -1: the calling thread alone.
        per_session_threads: whether this session has its own inter-op threads.
        xla: the level of just-in-time compilation: "off", "on" (the same as "on_1"), "on_2" or "default".
        grappler: False disables all graph rewriting, True enables it; a mapping sets fields of RewriterConfig:
            {"layout_optimizer": "off", "remapping": "aggressive", "memory_optimization": "heuristics",
            "meta_optimizer_iterations": "one"}; True and False mean "on" and "off".
        device_filters: in a cluster, prefixes of the devices that the session can see, such as "/job:ps".
        operation_timeout: seconds after which a blocked run of the session fails with DeadlineExceededError.
        collective_leader: in a cluster, the leader task of collective ops, such as "/job:worker/task:0"; the same in
            the configuration of every tf.train.Server. An all-reduce over several tasks hangs without one.
        experimental: fields of ConfigProto.Experimental by name, such as {"optimize_for_static_graph": True}.

    Raises:
        ArgumentError: a value is out of range, contradicts another, is unknown, or this TensorFlow lacks its field.
    """
    given = dict(locals())
    for name in unknown:
        near = difflib.get_close_matches(name, [each for each in given if each != "unknown"], 1)
        raise ArgumentError(
            "session_config has no option {!r}{}".format(name, ", did you mean {!r}?".format(near[0]) if near else "")
        )

    from legacy_towers.compat import tf

    if base is not None and not isinstance(base, tf.ConfigProto):
        raise ArgumentError("base must be a tf.ConfigProto, not {!r}".format(base))
    config = tf.ConfigProto()
    if base is not None:
        config.CopyFrom(base)
    for option in OPTIONS:
        if given[option.keyword] is not None:
            _apply(config, option, given[option.keyword])
    if grappler is not None:
        rewriting = {"disable_meta_optimizer": not grappler} if isinstance(grappler, bool) else grappler
        values.set_fields(config.graph_options.rewrite_options, "grappler", rewriting)
    if experimental is not None:
        values.set_fields(config.experimental, "experimental", experimental)

    if hide_gpus:
        _check_no_gpu_options([name for name in _GPU_KEYWORDS if given[name]])
    _check_contradictions(config)
    return config


_GPU_KEYWORDS = ("memory_fraction", "allow_growth", "visible_gpus", "virtual_gpus")


def _apply(config: "tf.ConfigProto", option: Option, given: Any) -> None:
    try:
        value = option.convert(given)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError("{} must be {}, not {!r}".format(option.keyword, option.allowed, given)) from None
    values.set_path(config, option.path, value)


def _check_no_gpu_options(contradicting: List[str]) -> None:
    if contradicting:
        raise ArgumentError("hide_gpus=True contradicts {}: pass only one of them".format(" and ".join(contradicting)))


def _check_contradictions(config: "tf.ConfigProto") -> None:
    """Raises ArgumentError for options that TensorFlow rejects later, when a session with GPUs starts, or ignores."""
    if config.use_per_session_threads and config.inter_op_parallelism_threads < 0:
        raise ArgumentError(
            "per_session_threads=True contradicts inter_op_threads={}, the calling thread alone: pass only one of "
            "them".format(config.inter_op_parallelism_threads)
        )
    gpu = config.gpu_options
    split = len(gpu.experimental.virtual_devices)
    if split and gpu.per_process_gpu_memory_fraction:
        raise ArgumentError(
            "memory_fraction={:g} contradicts virtual_gpus, which sets the memory of each device in MiB: pass only "
            "one of them".format(gpu.per_process_gpu_memory_fraction)
        )
    visible = len(gpu.visible_device_list.split(",")) if gpu.visible_device_list else 0
    if split and visible and split != visible:
        raise ArgumentError(
            "virtual_gpus has limits for {} physical GPUs, but visible_gpus={!r} has {}: pass one list of limits for "
            "each visible GPU".format(split, gpu.visible_device_list, visible)
        )
