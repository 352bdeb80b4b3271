"""Behaviour of the package `keras` of 2016 to 2019 that differs from tf.keras.

Each function is a context manager that patches Keras's classes and modules. Private: how Keras names layers, keeps its
session and makes weights. Tried on 2.21 with tf_keras; ends when Keras 2 does.
"""
import contextlib
import functools
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, Optional

from legacy_towers.compat.versions import keras_modules, tf

_MISSING: Any = object()


def layer_classes() -> Any:
    """Returns the base classes of layers: for graph mode, for eager mode, and of functional models."""
    source = keras_modules.source_module
    found = [(source("engine.base_layer_v1"), "Layer"), (source("engine.base_layer"), "Layer")]
    return [getattr(module, name) for module, name in found + [(source("engine.functional"), "Functional")]]


def model_classes() -> Any:
    """Returns the base classes of models: for graph mode and for eager mode."""
    source = keras_modules.source_module
    return [source("engine.training_v1").Model, source("engine.training").Model]


@contextlib.contextmanager
def changed(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Sets the attribute `name` of a class or module to `value`, and restores it at the end."""
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
    """Numbers the default names of layers from one: the first Dense is dense_1, not dense."""

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
    """Shares Keras's session between threads: a session that one thread sets or makes is that of all."""
    backend = keras_modules.source_module("backend")
    session = getattr(backend._SESSION, "session", None)
    with changed(backend, "_SESSION", SimpleNamespace(session=session)):
        yield


@contextlib.contextmanager
def shapes_are_tuples(is_of_script: Callable[[type], bool]) -> Iterator[None]:
    """Passes shapes as tuples to `build` and `compute_output_shape` of layer classes defined in the context.

    Args:
      is_of_script: returns whether the patch applies to a class.
    """

    def with_tuples(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def called(self: Any, input_shape: Any = None, *arguments: Any, **options: Any) -> Any:
            return method(self, as_tuples(input_shape), *arguments, **options)

        return called

    def init_subclass(cls: type, **options: Any) -> None:
        super(layer, cls).__init_subclass__(**options)
        if is_of_script(cls):
            for name in ("build", "compute_output_shape"):
                method = vars(cls).get(name)
                if callable(method):
                    setattr(cls, name, with_tuples(method))

    # The class that scripts inherit from; in graph mode Keras replaces it when a layer is made.
    layer = keras_modules.source_module("engine.base_layer").Layer
    with changed(layer, "__init_subclass__", classmethod(init_subclass)):
        yield


def as_tuples(shape: Any) -> Any:
    """Returns a shape as a tuple of ints and None, and a list of shapes as a list of tuples."""
    if isinstance(shape, tf.TensorShape):
        return tuple(shape.as_list()) if shape.rank is not None else None
    if isinstance(shape, list):
        return [as_tuples(each) for each in shape]
    if isinstance(shape, tuple) and any(isinstance(each, tf.TensorShape) for each in shape):
        return [as_tuples(each) for each in shape]
    return shape


@contextlib.contextmanager
def configs_may_lack_arguments() -> Iterator[None]:
    """Saves a custom layer without `get_config` of its own without its arguments, instead of raising an error."""

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
    """Lets scripts set attributes of a model before `Model.__init__`, and keeps lists of losses as plain lists."""

    def plain(before: Callable[[Any, str, Any], None]) -> Callable[[Any, str, Any], None]:
        @functools.wraps(before)
        def set_attribute(self: Any, name: str, value: Any) -> None:
            is_initialized = "_base_model_initialized" in vars(self) or name.startswith("_")
            if is_initialized and name not in ("_losses", "_per_input_losses"):
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
    """Adds the tensor that a model's `add_loss` gets to its loss as it is.

    tf.keras converts it to layers in which variables are constants: a regularizer of weights would have no gradient.
    """

    def add(self: Any, loss: Any) -> None:
        self._losses.append(loss)

    with changed(keras_modules.source_module("engine.functional").Functional, "_graph_network_add_loss", add):
        yield


@contextlib.contextmanager
def outputs_may_be_one_number() -> Iterator[None]:
    """Accepts a scalar as a model's output: a loss for the whole batch, computed by the last layer."""
    # Keras 2.x reads the last dimension of each output whose targets have an unknown rank.
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
    """Changes the logs that callbacks and the History get at the end of an epoch.

    Args:
      change: takes the logs, name -> value, and returns those that the callbacks get.
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
    """Changes the arguments of `__init__` of some classes.

    Args:
      classes: class -> function that takes the positional arguments and those by name, and returns both.
    """
    with contextlib.ExitStack() as stack:
        for each, change in classes.items():
            stack.enter_context(changed(each, "__init__", _with_changed_arguments(each.__init__, change)))
        yield


@contextlib.contextmanager
def method_arguments_are(name: str, change: Callable[..., Any]) -> Iterator[None]:
    """Changes the arguments of the method `name` of models, see `arguments_are`."""
    with contextlib.ExitStack() as stack:
        for each in model_classes():
            if name in vars(each):
                stack.enter_context(changed(each, name, _with_changed_arguments(vars(each)[name], change)))
        yield


@contextlib.contextmanager
def models_are_made_of(change: Callable[..., Any]) -> Iterator[None]:
    """Changes the arguments of functional models, see `arguments_are`."""
    model = keras_modules.source_module("engine.training").Model
    functional = keras_modules.source_module("engine.functional").Functional
    new = _with_changed_arguments(model.__new__, change)
    with changed(model, "__new__", staticmethod(new)), arguments_are({functional: change}):
        yield


def _with_changed_arguments(function: Callable[..., Any], change: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the method `function` with `change` applied to its arguments after the first."""

    @functools.wraps(function)
    def called(first: Any, *arguments: Any, **options: Any) -> Any:
        arguments, options = change(arguments, options)
        return function(first, *arguments, **options)

    return called
