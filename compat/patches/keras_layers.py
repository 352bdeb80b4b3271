"""Methods of layers that tf.keras of TensorFlow 1.15 has.

Private: the base classes of layers. Tried on 2.21 with tf_keras; ends when Keras 2 does.
"""
import contextlib
import functools
from typing import Any, Callable, Iterator

from legacy_towers.compat.patches.keras_classes import changed, layer_classes


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
