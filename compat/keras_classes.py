"""What the package `keras` did in ways of its own, before it was tf.keras, and only Keras's classes can do.

Each is a context manager, and changes Keras's classes while it lasts. Private: where Keras names a layer, keeps its
session, and makes a layer's weights. Tried on 2.21 with tf_keras; ends when Keras 2 does.
"""
import contextlib
import functools
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, Optional

from legacy_towers.compat import keras_modules, tf

_MISSING: Any = object()


def layer_classes() -> Any:
    """Returns the base classes of layers: of graphs, of eager code, and of models that are graphs of layers."""
    source = keras_modules.source_module
    found = [(source("engine.base_layer_v1"), "Layer"), (source("engine.base_layer"), "Layer")]
    return [getattr(module, name) for module, name in found + [(source("engine.functional"), "Functional")]]


def model_classes() -> Any:
    """Returns the base classes of models: of graphs and of eager code."""
    source = keras_modules.source_module
    return [source("engine.training_v1").Model, source("engine.training").Model]


@contextlib.contextmanager
def changed(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Sets the attribute `name` of a class or module to `value` while it lasts."""
    before = vars(owner).get(name, _MISSING)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if before is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, before)


@contextlib.contextmanager
def layers_are_named_from_one() -> Iterator[None]:
    """The first Dense is dense_1, and not dense."""

    def from_one(before: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(before)
        def named(self: Any, name: Optional[str], zero_based: bool = False) -> None:
            before(self, name, zero_based=False)

        return named

    with contextlib.ExitStack() as stack:
        for each in layer_classes():
            stack.enter_context(changed(each, "_init_set_name", from_one(vars(each)["_init_set_name"])))
        yield


@contextlib.contextmanager
def threads_share_the_session() -> Iterator[None]:
    """The session that one thread sets, or that is made for it, is that of all."""
    backend = keras_modules.source_module("backend")
    session = getattr(backend._SESSION, "session", None)
    with changed(backend, "_SESSION", SimpleNamespace(session=session)):
        yield


@contextlib.contextmanager
def shapes_are_tuples(is_of_script: Callable[[type], bool]) -> Iterator[None]:
    """`build` and `compute_output_shape` of layers that are defined while it lasts get tuples of numbers.

    Args:
      is_of_script: which classes are meant.
    """

    def with_tuples(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def called(self: Any, input_shape: Any = None, *arguments: Any, **options: Any) -> Any:
            return method(self, as_tuples(input_shape), *arguments, **options)

        return called

    def begun(cls: type, **options: Any) -> None:
        super(layer, cls).__init_subclass__(**options)
        if is_of_script(cls):
            for name in ("build", "compute_output_shape"):
                method = vars(cls).get(name)
                if callable(method):
                    setattr(cls, name, with_tuples(method))

    # The class that scripts inherit from; that of graphs takes its place when a layer is made.
    layer = keras_modules.source_module("engine.base_layer").Layer
    with changed(layer, "__init_subclass__", classmethod(begun)):
        yield


def as_tuples(shape: Any) -> Any:
    """Returns tuples of numbers for shapes, also for those in lists."""
    if isinstance(shape, tf.TensorShape):
        return tuple(shape.as_list()) if shape.rank is not None else None
    if isinstance(shape, list):
        return [as_tuples(each) for each in shape]
    if isinstance(shape, tuple) and any(isinstance(each, tf.TensorShape) for each in shape):
        return [as_tuples(each) for each in shape]
    return shape


@contextlib.contextmanager
def configs_may_lack_arguments() -> Iterator[None]:
    """A layer that takes arguments of its own and has no `get_config` is saved without them, and not refused."""

    def lacking(before: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @functools.wraps(before)
        def get_config(self: Any) -> Any:
            try:
                return before(self)
            except NotImplementedError:
                config = {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}
                if hasattr(self, "_batch_input_shape"):
                    config["batch_input_shape"] = self._batch_input_shape
                return config

        return get_config

    with contextlib.ExitStack() as stack:
        for each in layer_classes()[:2]:
            stack.enter_context(changed(each, "get_config", lacking(vars(each)["get_config"])))
        yield


@contextlib.contextmanager
def attributes_are_plain() -> Iterator[None]:
    """Attributes of a model may be set before its `__init__`, and lists set as its losses stay lists."""

    def plain(before: Callable[[Any, str, Any], None]) -> Callable[[Any, str, Any], None]:
        @functools.wraps(before)
        def set_attribute(self: Any, name: str, value: Any) -> None:
            is_begun = "_base_model_initialized" in vars(self) or name.startswith("_")
            if is_begun and name not in ("_losses", "_per_input_losses"):
                before(self, name, value)
            else:
                object.__setattr__(self, name, value)

        return set_attribute

    with contextlib.ExitStack() as stack:
        for each in model_classes():
            if "__setattr__" in vars(each):
                stack.enter_context(changed(each, "__setattr__", plain(vars(each)["__setattr__"])))
        yield


@contextlib.contextmanager
def losses_stay_tensors() -> Iterator[None]:
    """What `add_loss` of a model gets is added to its loss as it is.

    tf.keras makes layers of it, and takes variables in it for constants: a regularizer of weights has no gradient then.
    """

    def add(self: Any, loss: Any) -> None:
        self._losses.append(loss)

    with changed(keras_modules.source_module("engine.functional").Functional, "_graph_network_add_loss", add):
        yield


@contextlib.contextmanager
def outputs_may_be_one_number() -> Iterator[None]:
    """A loss that a model's last layer computes, one number for the whole batch, is a model's output."""
    # In 2.x Keras asks for the last dimension of each output whose targets have an unknown rank.
    utils = keras_modules.source_module("utils.losses_utils")
    before = utils.squeeze_or_expand_dimensions

    @functools.wraps(before)
    def squeezed(y_pred: Any, y_true: Any = None, sample_weight: Any = None) -> Any:
        if y_true is not None and sample_weight is None and y_pred.shape.rank == 0:
            return y_pred, y_true
        return before(y_pred, y_true, sample_weight)

    with changed(utils, "squeeze_or_expand_dimensions", squeezed):
        yield


@contextlib.contextmanager
def logs_of_epochs_are(change: Callable[[Dict[str, Any]], Dict[str, Any]]) -> Iterator[None]:
    """What callbacks and the History get at the end of an epoch is changed first.

    Args:
      change: takes name -> value, and returns what they get.
    """
    callbacks = keras_modules.source_module("callbacks").CallbackList
    before = callbacks.on_epoch_end

    @functools.wraps(before)
    def on_epoch_end(self: Any, epoch: int, logs: Optional[Dict[str, Any]] = None) -> None:
        before(self, epoch, logs if logs is None else change(logs))

    with changed(callbacks, "on_epoch_end", on_epoch_end):
        yield


@contextlib.contextmanager
def arguments_are(classes: Dict[Any, Callable[..., Any]]) -> Iterator[None]:
    """What classes are made with is changed first.

    Args:
      classes: class -> what takes its arguments, and returns them as (positional, by name).
    """
    with contextlib.ExitStack() as stack:
        for each, change in classes.items():
            stack.enter_context(changed(each, "__init__", _given(each.__init__, change)))
        yield


@contextlib.contextmanager
def method_arguments_are(name: str, change: Callable[..., Any]) -> Iterator[None]:
    """What the method `name` of models is called with is changed first, see `arguments_are`."""
    with contextlib.ExitStack() as stack:
        for each in model_classes():
            if name in vars(each):
                stack.enter_context(changed(each, name, _given(vars(each)[name], change)))
        yield


@contextlib.contextmanager
def models_are_made_of(change: Callable[..., Any]) -> Iterator[None]:
    """What models of inputs and outputs are made with is changed first, see `arguments_are`."""
    model = keras_modules.source_module("engine.training").Model
    functional = keras_modules.source_module("engine.functional").Functional
    made = _given(model.__new__, change)
    with changed(model, "__new__", staticmethod(made)), arguments_are({functional: change}):
        yield


def _given(function: Callable[..., Any], change: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `function`, a method, with what it is given after its first argument changed."""

    @functools.wraps(function)
    def given(first: Any, *arguments: Any, **options: Any) -> Any:
        arguments, options = change(arguments, options)
        return function(first, *arguments, **options)

    return given
