"""Creates input pipelines from specs; `legacy_towers.specs.pipelines` lists their names."""
from typing import Any, Callable, Dict, Optional

from legacy_towers.data import Examples
from legacy_towers.inputs.base import Input
from legacy_towers.inputs.feeds.feed import feed
from legacy_towers.inputs.queues.queue import queue
from legacy_towers.inputs.synthetic import synthetic
from legacy_towers.inputs.tf_data.dataset import dataset
from legacy_towers.inputs.wrappers.staged import staged
from legacy_towers.specs.pipelines import parse_pipeline

# A name in a spec is the name of the function.
MAKERS: Dict[str, Callable[..., Input]] = {maker.__name__: maker for maker in (synthetic, feed, queue, dataset)}
WRAPPERS: Dict[str, Callable[..., Input]] = {staged.__name__: staged}


def make_pipeline(text: str, examples: Examples, **options: Any) -> Input:
    """Creates the input pipeline of a spec, such as "queue" or "staged+dataset:sharded".

    Args:
      text: a spec; see `legacy_towers.specs.pipelines`.
      options: keyword arguments of all pipelines: per_tower_batch_size, global_batch_size, epochs, shuffle, order,
        remainder.

    Raises:
      ArgumentError: there is no such pipeline, or the options contradict each other.
      InputError: this pipeline can't read these examples.
    """
    pipeline: Optional[Input] = None
    for call in reversed(parse_pipeline(text)):
        if pipeline is None:
            pipeline = MAKERS[call.name](examples, **dict(call.options, **options))
        else:
            pipeline = WRAPPERS[call.name](pipeline, **call.options)
    assert pipeline is not None  # a spec has at least one name
    return pipeline
