"""The names that receivers of exported models give to single tensors, as on TensorFlow 1.15."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.estimator.export import receivers

MODULES = [receivers] + ([tf.estimator.export] if tf.__version__.startswith("1.15") else [])


@pytest.mark.parametrize("module", MODULES, ids=["legacy_towers", "tensorflow"][: len(MODULES)])
def test_a_single_tensor_is_fed_as_input(module):
    x = tf.placeholder(tf.float32, [None, 2])
    receiver = module.ServingInputReceiver(x, x, {"other": x})
    assert list(receiver.features) == ["feature"] and receiver.receiver_tensors == {"input": x}
    assert receiver.receiver_tensors_alternatives == {"other": {"input": x}}
    receiver = module.TensorServingInputReceiver(x, x)
    assert receiver.features is x and receiver.receiver_tensors == {"input": x}
    assert module.ServingInputReceiver({"a": x}, {"b": x}).receiver_tensors == {"b": x}
