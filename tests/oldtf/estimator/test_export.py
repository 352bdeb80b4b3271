"""What a served model is fed: the names that TensorFlow 1.15 gives to bare tensors."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator import export

WORLDS = [export] + ([tf.estimator.export] if tf.__version__.startswith("1.15") else [])


@pytest.mark.parametrize("world", WORLDS, ids=["ours", "1.15's"][: len(WORLDS)])
def test_a_bare_tensor_is_fed_as_input(world):
    x = tf.placeholder(tf.float32, [None, 2])
    served = world.ServingInputReceiver(x, x, {"other": x})
    assert list(served.features) == ["feature"] and served.receiver_tensors == {"input": x}
    assert served.receiver_tensors_alternatives == {"other": {"input": x}}
    served = world.TensorServingInputReceiver(x, x)
    assert served.features is x and served.receiver_tensors == {"input": x}
    assert world.ServingInputReceiver({"a": x}, {"b": x}).receiver_tensors == {"b": x}
