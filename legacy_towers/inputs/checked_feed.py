"""A feed_dict whose arrays need no checks by `Session.run`, so that a step can be run by a callable."""
from typing import Any, Dict

import numpy as np


class CheckedFeed(Dict[Any, np.ndarray]):
    """Placeholder -> array of exactly its numpy dtype and of a compatible shape. It has no strings.

    `Session.run` checks and converts each value of a feed_dict, which takes tens of microseconds for each. What feeds
    this promises to have done so: see `legacy_towers.step.running`.
    """
