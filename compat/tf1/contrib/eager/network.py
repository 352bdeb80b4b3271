"""Network and Sequential of tf.contrib.eager: models of tracked layers."""
import inspect
import re
from typing import Any, Callable, Collection, List, Optional, Sequence

from legacy_towers.compat.versions import tf

# The collection of the names of the networks in the graph.
_NAMES_COLLECTION = "eager_network_names"


class Network:
    """A model whose layers are tracked by `track_layer`; subclasses define `call`.

    Args:
      name: the name. By default it is the class name in snake case, unique within the parent network or variable scope
        (MyNet: my_net, then my_net_1); it is set when another network tracks this one, or in the first call.

    Raises:
      ValueError: the name contains a slash.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        if name is not None and "/" in name:
            raise ValueError("Forward slashes ('/') are not allowed in Network names.")
        self._name = name
        self._layers: List[Any] = []
        self._layer_names: List[str] = []
        self._parent: Optional["Network"] = None
        self._scope: Any = None
        self._outer_scope = tf.get_variable_scope()

    @property
    def name(self) -> Optional[str]:
        """The name; None before it is set. In a variable scope it includes the name of the scope."""
        return self._name

    @property
    def layers(self) -> List[Any]:
        return list(self._layers)

    def track_layer(self, layer: Any) -> Any:
        """Adds `layer` to the layers of the model, and returns it.

        Raises:
          TypeError: `layer` is not a layer.
        """
        if not callable(layer) or not hasattr(layer, "variables"):
            raise TypeError(
                "Network.track_layer() passed type {}, not a tf.layers.Layer".format(type(layer).__name__)
            )
        self._name_layer(layer)
        self._layers.append(layer)
        return layer

    def _name_layer(self, layer: Any) -> None:
        if isinstance(layer, Network):
            if layer._scope is not None or layer._parent is not None:
                return
            layer._parent = self
            layer._name = layer._name or _unique(_snake_case(type(layer).__name__), self._layer_names)
        elif not layer.built and getattr(layer, "_base_name", layer.name) != layer.name:
            # Its number counts the layers of the graph; in checkpoints the number counts those of the network.
            layer._name = layer._base_name = _unique(layer._base_name, self._layer_names)
        self._layer_names.append(layer.name)

    def get_layer(self, name: Optional[str] = None, index: Optional[int] = None) -> Any:
        """Returns a layer by name or by index.

        Raises:
          ValueError: there is no such layer, or not exactly one of name and index is given.
        """
        if (name is None) == (index is None):
            raise ValueError("Pass exactly one of name and index")
        if index is not None:
            return self._layers[index]
        for layer in self._layers:
            if layer.name == name:
                return layer
        raise ValueError("No such layer: {}".format(name))

    def call(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a subclass of Network must define the method call")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with tf.variable_scope(self._own_scope(), reuse=tf.AUTO_REUSE):
            return self.call(*args, **kwargs)

    def _own_scope(self) -> Any:
        if self._scope is None:
            outer = self._outer_scope if self._parent is None else self._parent._own_scope()
            with tf.variable_scope(outer):
                name = self._name if self._parent is not None else self._claimed_name(outer.name)
                with tf.variable_scope(name, use_resource=True) as self._scope:
                    pass
            if self._parent is None:
                self._name = self._scope.name
        return self._scope

    def _claimed_name(self, outer: str) -> str:
        """Returns the name of a network without parent, and reserves it in the scope `outer`."""
        prefix = outer + "/" if outer else ""
        taken = tf.get_collection_ref(_NAMES_COLLECTION)
        siblings = [name[len(prefix) :] for name in taken if name.startswith(prefix)]
        if self._name in siblings:
            raise ValueError(
                "A Network named '{}' already exists (or a variable_scope was created with this name). "
                "Names must be unique.".format(self._name)
            )
        name = self._name or _unique(_snake_case(type(self).__name__), siblings)
        taken.append(prefix + name)
        return name

    def _of_layers(self, kind: str) -> List[Any]:
        return [variable for layer in self._layers for variable in getattr(layer, kind)]

    @property
    def variables(self) -> List[Any]:
        return self._of_layers("variables")

    @property
    def weights(self) -> List[Any]:
        return self.variables

    @property
    def trainable_variables(self) -> List[Any]:
        return self._of_layers("trainable_variables")

    @property
    def trainable_weights(self) -> List[Any]:
        return self.trainable_variables

    @property
    def losses(self) -> List[Any]:
        return self._of_layers("losses")


class Sequential(Network):
    """Applies layers and functions in sequence."""

    def __init__(self, layers_funcs: Optional[Sequence[Any]] = None, name: Optional[str] = None) -> None:
        super().__init__(name)
        self._steps: List[Callable[..., Any]] = []
        for step in layers_funcs or ():
            self.add(step)

    def add(self, layer_func: Any) -> None:
        """Appends a layer or a function that takes a tensor.

        Raises:
          TypeError: `layer_func` is neither.
        """
        if hasattr(layer_func, "variables"):
            self.track_layer(layer_func)
        elif not callable(layer_func):
            raise TypeError("Sequential.add() takes tf.layers.Layer objects or callables, not {}".format(layer_func))
        self._steps.append(layer_func)

    def call(self, inputs: Any, training: Optional[bool] = None) -> Any:
        """Returns the output of the last layer; layers with an argument `training` get that argument."""
        for step in self._steps:
            parameters = inspect.signature(getattr(step, "call", step)).parameters if training is not None else ()
            inputs = step(inputs, training=training) if "training" in parameters else step(inputs)
        return inputs


def _snake_case(name: str) -> str:
    """Returns a class name in the form of layer names: my_net for MyNet."""
    separated = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    snake = re.sub("([a-z])([A-Z])", r"\1_\2", separated).lower()
    return "private" + snake if snake.startswith("_") else snake


def _unique(base: str, taken: Collection[str]) -> str:
    """Returns the first of base, base_1, base_2 ... that is not in `taken`."""
    name, number = base, 0
    while name in taken:
        number += 1
        name = "{}_{}".format(base, number)
    return name
