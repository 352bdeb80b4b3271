"""predict_classes and predict_proba of tf.keras.Sequential, which TensorFlow 2.6 dropped."""
from typing import Any

import numpy as np


def _classes(model: Any, x: Any, batch_size: Any = 32, verbose: int = 0) -> np.ndarray:
    found = model.predict(x, batch_size=batch_size, verbose=verbose)
    return found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")


def _probabilities(model: Any, x: Any, batch_size: Any = 32, verbose: int = 0) -> np.ndarray:
    return model.predict(x, batch_size=batch_size, verbose=verbose)


# Method of tf.keras.Sequential up to TensorFlow 2.5 -> function of the model and its inputs.
OF_MODELS = {"predict_classes": _classes, "predict_proba": _probabilities}
