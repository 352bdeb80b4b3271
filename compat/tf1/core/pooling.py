"""Operations on numpy arrays whose results are float32 in TensorFlow 1.15, and float64 or uint8 in 2.x."""
import functools
from typing import Any, Callable

from legacy_towers.compat.tf1.core.images import as_default_float
from legacy_towers.compat.versions import tf


def _of_float32(function: Callable[..., Any], argument: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        if argument in options:
            options[argument] = as_default_float(options[argument])
        else:
            arguments = (as_default_float(arguments[0]),) + arguments[1:]
        return function(*arguments, **options)

    return called


max_pool = _of_float32(tf.nn.max_pool, "value")
max_pool2d = _of_float32(tf.nn.max_pool2d, "input")
max_pool_v2 = _of_float32(tf.nn.max_pool_v2, "input")
ctc_greedy_decoder = _of_float32(tf.nn.ctc_greedy_decoder, "inputs")
ctc_beam_search_decoder = _of_float32(tf.nn.ctc_beam_search_decoder, "inputs")
ctc_beam_search_decoder_v2 = _of_float32(tf.nn.ctc_beam_search_decoder_v2, "inputs")
