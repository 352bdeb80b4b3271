"""Network and Sequential of tf.contrib.eager: layers that are tracked, and their variables."""
import inspect
from typing import Any, Callable, List, Optional, Sequence

from legacy_towers.compat import tf


class Network:
    """A model of layers that `track_layer` was told of; `call` says what it does.

    Raises:
      ValueError: a name with a slash.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        if name is not None and "/" in name:
            raise ValueError("Forward slashes ('/') are not allowed in Network names.")
        self._name = name or type(self).__name__.lower()
        self._layers: List[Any] = []

    @property
    def name(self) -> str:
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
        self._layers.append(layer)
        return layer

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
        with tf.variable_scope(self._name, reuse=tf.AUTO_REUSE):
            return self.call(*args, **kwargs)

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
