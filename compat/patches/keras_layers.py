"""Methods and arguments of layers and losses that tf.keras of TensorFlow 1.15 has.

Private: the base classes of layers. Tried on 2.21 with tf_keras; ends when Keras 2 does.
"""
import contextlib
import functools
from typing import Any, Callable, Dict, Iterator, Tuple

from legacy_towers.compat.patches.keras_classes import arguments_are, changed, layer_classes
from legacy_towers.compat.versions import tf

# Class -> the position of an argument that Keras inserted after 1.15, and its default.
_INSERTED: Dict[str, Tuple[int, Any]] = {
    "layers.Conv1D": (6, 1),  # groups
    "layers.Conv2D": (6, 1),
    "layers.Conv3D": (6, 1),
    "layers.Conv3DTranspose": (6, (1, 1, 1)),  # dilation_rate
    "layers.DepthwiseConv2D": (5, (1, 1)),
    "losses.BinaryCrossentropy": (2, -1),  # axis
    "losses.CategoricalCrossentropy": (2, -1),
    "losses.SparseCategoricalCrossentropy": (1, None),  # ignore_class
    "metrics.SensitivityAtSpecificity": (2, None),  # class_id
    "metrics.SpecificityAtSensitivity": (2, None),
}


@contextlib.contextmanager
def layers_have_methods_of_1_15() -> Iterator[None]:
    """Gives layers `apply`, and `add_update` its argument `inputs`, which 1.15 ignores."""

    def apply(self: Any, inputs: Any, *arguments: Any, **options: Any) -> Any:
        """Returns the layer's outputs for `inputs`."""
        return self(inputs, *arguments, **options)

    def with_inputs(before: Callable[[Any, Any], None]) -> Callable[..., None]:
        @functools.wraps(before)
        def add_update(self: Any, updates: Any, inputs: Any = None) -> None:
            before(self, updates)

        return add_update

    with contextlib.ExitStack() as stack:
        for each in layer_classes()[:2]:
            if not hasattr(each, "apply"):
                stack.enter_context(changed(each, "apply", apply))
            stack.enter_context(changed(each, "add_update", with_inputs(vars(each)["add_update"])))
        yield


@contextlib.contextmanager
def positional_arguments_are_those_of_1_15() -> Iterator[None]:
    """Accepts positional arguments in the order of 1.15: Conv2D(8, 3, 1, "same", None, 1, "relu") has an activation."""
    classes = {}
    for name, (position, default) in _INSERTED.items():
        module, _, last = name.partition(".")
        classes[getattr(getattr(tf.keras, module), last)] = _inserting(position, default)
    with arguments_are(classes):
        yield


def _inserting(position: int, default: Any) -> Callable[..., Any]:
    def change(arguments: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
        if len(arguments) > position:
            arguments = arguments[:position] + (default,) + arguments[position:]
        return arguments, options

    return change
