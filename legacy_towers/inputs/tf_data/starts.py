"""Where the readers of datasets begin: tensors that a hook feeds when a session starts."""
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.data.start import Start, start_of
from legacy_towers.inputs.examples_position import ExamplesPosition
from legacy_towers.tensor_types import Session


def feed_of(
    position: ExamplesPosition,
    starts: Sequence[Start],
    shards: Tuple[int, int] = (1, 0),
    workers: Optional[Workers] = None,
    examples_per_epoch: Optional[int] = None,
) -> Callable[[Session], Dict[Any, Any]]:
    """Returns the function that begins a session, and returns what is fed to the starts of the readers.

    Args:
      shards: into how many shards the data is divided, and which of them the first reader reads.
      workers: the workers of a cluster, which begin at the chief's position, with its seed; None for one process.
      examples_per_epoch: by how many examples each epoch moves the shards; see `data.file_shards`.
    """
    own = agreed = None
    if workers is not None:
        own = tf.placeholder(tf.int64, [2], name="examples_and_seed")
        agreed = workers.broadcast_from_chief(own, "examples used before, and seed")

    def feed(session: Session) -> Dict[Any, Any]:
        position.begin(lambda: int(session.run(starts[0].seed)))
        if agreed is not None:
            position.begin_at(*map(int, session.run(agreed, {own: [position.examples, position.seed]})))
        fed: Dict[Any, Any] = {}
        for number, start in enumerate(starts):
            fed.update(zip(start, position.start_of_shard(shards[0], shards[1] + number, examples_per_epoch)))
        return fed

    return feed


def fed_starts(seed: Optional[int], number: int) -> List[Start]:
    """Creates the tensors that a hook feeds with where each of several readers begins; unfed: at the beginning."""
    return [
        Start(*[
            tf.placeholder_with_default(default, [], name=name)
            for name, default in zip(Start._fields, start_of(seed))
        ])
        for _ in range(number)
    ]
