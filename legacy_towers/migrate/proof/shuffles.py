"""How far a shuffle moves examples."""
import collections
from typing import Any, List, Optional

import numpy as np


def distance(examples: List[Any], order: List[Any]) -> Optional[float]:
    """Returns the mean distance of examples from their place in another order, relative to their number.

    Equal examples are matched in their order. 0: the same order; 1/3: uniformly shuffled.

    Returns:
      The distance; None if there are less than two examples, or no example is in both.
    """
    places = collections.defaultdict(list)
    for place, each in enumerate(order):
        places[each].append(place)
    taken: Any = collections.Counter()
    distances = []
    for place, each in enumerate(examples):
        if taken[each] < len(places.get(each, ())):
            distances.append(abs(places[each][taken[each]] - place))
            taken[each] += 1
    if len(examples) < 2 or not distances:
        return None
    return float(np.mean(distances)) / len(examples)
