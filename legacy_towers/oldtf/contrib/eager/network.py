"""Network and Sequential of tf.contrib.eager: layers that are tracked, and their variables."""
import inspect
import re
from typing import Any, Callable, Collection, List, Optional, Sequence

from legacy_towers.compat import tf

# The collection of the names that networks of the graph have taken.
_NAMES = "eager_network_names"


class Network:
    """A model of layers that `track_layer` was told of; `call` says what it does.

    Without a name it gets that of its class in small letters (MyNet is my_net, the next my_net_1): as soon as another
    network tracks it, else when it is first called.

    Raises:
      ValueError: a name with a slash.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        if name is not None and "/" in name:
            raise ValueError("Forward slashes ('/') are not allowed in Network names.")
        self._name = name
        self._layers: List[Any] = []
        self._names_of_layers: List[str] = []
        self._parent: Optional["Network"] = None
        self._scope: Any = None
        self._made_in = tf.get_variable_scope()

    @property
    def name(self) -> Optional[str]:
        """The name, None as long as there is none; a network in a variable scope has that of its own scope."""
        return self._name

    @property
    def layers(self) -> List[Any]:
        return list(self._layers)

    def track_layer(self, layer: Any) -> Any:
        """Keeps `layer` as one of the model's, and returns it.

        Raises:
          TypeError: it is no layer.
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
            layer._name = layer._name or _unique(_small_letters(type(layer).__name__), self._names_of_layers)
        elif not layer.built and getattr(layer, "_base_name", layer.name) != layer.name:
            # It was numbered over the whole graph; in checkpoints its number is that within the network.
            layer._name = layer._base_name = _unique(layer._base_name, self._names_of_layers)
        self._names_of_layers.append(layer.name)

    def get_layer(self, name: Optional[str] = None, index: Optional[int] = None) -> Any:
        """Returns a layer by its name or its index.

        Raises:
          ValueError: there is none, or neither is given.
        """
        if (name is None) == (index is None):
            raise ValueError("Provide exactly one of a layer name and a layer index")
        if index is not None:
            return self._layers[index]
        for layer in self._layers:
            if layer.name == name:
                return layer
        raise ValueError("No such layer: {}".format(name))

    def call(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a Network needs a method call")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with tf.variable_scope(self._own_scope(), reuse=tf.AUTO_REUSE):
            return self.call(*args, **kwargs)

    def _own_scope(self) -> Any:
        if self._scope is None:
            outer = self._made_in if self._parent is None else self._parent._own_scope()
            with tf.variable_scope(outer):
                name = self._name if self._parent is not None else self._claimed_name(outer.name)
                with tf.variable_scope(name, use_resource=True) as self._scope:
                    pass
            if self._parent is None:
                self._name = self._scope.name
        return self._scope

    def _claimed_name(self, outer: str) -> str:
        """Returns the name of a network that is in no other, which is then taken within the scope called `outer`."""
        prefix = outer + "/" if outer else ""
        taken = tf.get_collection_ref(_NAMES)
        there = [name[len(prefix) :] for name in taken if name.startswith(prefix)]
        if self._name in there:
            raise ValueError(
                "A Network named '{}' already exists (or a variable_scope was created with this name). "
                "Names must be unique.".format(self._name)
            )
        name = self._name or _unique(_small_letters(type(self).__name__), there)
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
    """Layers and functions one after the other."""

    def __init__(self, layers_funcs: Optional[Sequence[Any]] = None, name: Optional[str] = None) -> None:
        super().__init__(name)
        self._steps: List[Callable[..., Any]] = []
        for step in layers_funcs or ():
            self.add(step)

    def add(self, layer_func: Any) -> None:
        """Appends a layer, or a function of a tensor.

        Raises:
          TypeError: it is neither.
        """
        if hasattr(layer_func, "variables"):
            self.track_layer(layer_func)
        elif not callable(layer_func):
            raise TypeError("Sequential.add() takes tf.layers.Layer objects or callables, not {}".format(layer_func))
        self._steps.append(layer_func)

    def call(self, inputs: Any, training: Optional[bool] = None) -> Any:
        """Returns the output of the last layer; those that have an argument `training` get it."""
        for step in self._steps:
            takes_it = training is not None and "training" in inspect.signature(getattr(step, "call", step)).parameters
            inputs = step(inputs, training=training) if takes_it else step(inputs)
        return inputs


def _small_letters(name: str) -> str:
    """Returns the name of a class as layers are called: my_net for MyNet."""
    words = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    small = re.sub("([a-z])([A-Z])", r"\1_\2", words).lower()
    return "private" + small if small.startswith("_") else small


def _unique(base: str, taken: Collection[str]) -> str:
    """Returns `base`, or the first of base_1, base_2 ... that is not `taken`."""
    name, number = base, 0
    while name in taken:
        number += 1
        name = "{}_{}".format(base, number)
    return name
