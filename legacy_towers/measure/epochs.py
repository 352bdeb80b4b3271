"""Checks that an input pipeline gives each example to one tower, once per epoch, by running it without a model."""
import collections
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.data import Examples, structure
from legacy_towers.devices import logical_cpus
from legacy_towers.errors import ArgumentError
from legacy_towers.graph.initialize import MissingInitializer
from legacy_towers.inputs.base import Input, TowerBatches
from legacy_towers.step.running import Running
from legacy_towers.tensor_types import ConfigProto, NestedTensors, Session
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.towers.output import EVAL

_NAMED = 3  # the number of examples that a report names for each problem


@documented_fields
class EpochReport(NamedTuple):
    """The examples that the towers received; prints a line for each problem.

    Ids are those of `Examples.with_ids()`, or the ones that `ids_of` returned.

    Attributes:
      per_tower: each tower's ids in order; () for a tower that validates.
      steps: the number of steps that were run.
      epochs: the number of epochs that were asked for.
      examples: the number of examples in one epoch of the data.
      lost: id -> how many times it is missing.
      repeated: id -> how many times it was received beyond `epochs`.
      unknown: id that is not in the data -> how many times it was received.
      overlaps: two towers -> the repeated ids that both received.
      may_lose: the number of examples of an incomplete last global batch that is dropped.
      ended: whether the data ended; False: stopped after more than all examples for each tower.
      name_of: a function from an id to a description of the example.
    """

    per_tower: Tuple[Tuple[int, ...], ...]
    steps: int
    epochs: int
    examples: int
    lost: Dict[int, int]
    repeated: Dict[int, int]
    unknown: Dict[int, int]
    overlaps: Dict[Tuple[int, int], Tuple[int, ...]]
    may_lose: int
    ended: bool
    name_of: Callable[[int], str]

    @property
    def ok(self) -> bool:
        """Whether one tower received each example once per epoch, except for a last incomplete global batch."""
        wrong = self.repeated or self.unknown or self.overlaps or not self.ended
        return not wrong and sum(self.lost.values()) <= self.may_lose

    def __str__(self) -> str:
        received = sum(map(len, self.per_tower))
        lines = ["{}: {:,} examples to {} tower{} in {:,} step{}, of {} epoch{} of {:,}".format(
            "{}each example to one tower, once per epoch".format("" if self.ok else "NOT "),
            received, len(self.per_tower), _s(len(self.per_tower)), self.steps, _s(self.steps), self.epochs,
            _s(self.epochs), self.examples,
        )]
        if self.lost:
            dropped = sum(self.lost.values()) <= self.may_lose
            title = "dropped at the end as an incomplete global batch" if dropped else "lost"
            lines.append(self._line(title, self.lost))
        if self.repeated:
            lines.append(self._line("repeated", self.repeated))
        if self.unknown:
            lines.append(self._line("not in the data", self.unknown, str))
        for (one, other), ids in self.overlaps.items():
            lines.append(self._line("both tower {} and tower {} got".format(one, other), dict.fromkeys(ids, 1)))
        if not self.ended:
            lines.append("the input did not end, and was stopped after {:,} examples: create it with epochs={}".format(
                received, self.epochs
            ))
        return "\n  ".join(lines)

    def _line(self, title: str, times: Dict[int, int], name_of: Optional[Callable[[int], str]] = None) -> str:
        count = sum(times.values())
        names = [(name_of or self.name_of)(number) for number in list(times)[:_NAMED]]
        more = len(times) - len(names)
        return "{}: {:,} ({}{})".format(
            title, count, "; ".join(names), "; and {:,} more".format(more) if more else ""
        )


def check_epoch(
    source: Input,
    examples: Union[Examples, Sequence[int]],
    devices: Sequence[str],
    epochs: int = 1,
    ids_of: Optional[Callable[[Any], Any]] = None,
    session: Session = None,
    config: ConfigProto = None,
) -> EpochReport:
    """Runs an input pipeline to its end and returns which examples the towers received.

        numbered = examples.with_ids()
        with tf.Graph().as_default():
            report = lt.check_epoch(lt.inputs.queue(numbered, per_tower_batch_size=16, epochs=1), numbered, devices)
        assert report.ok, report

    Args:
      source: any input pipeline that ends, also one of your own. Its operations are added to the default graph.
      examples: the examples that it reads, with or without ids; or the ids of one epoch.
      devices: one device string per tower.
      epochs: how often each example should come.
      ids_of: a function from a tower's batch to a vector of integer ids; None takes `batch["id"]`.
      session: the session to run in, of the default graph; None creates one with as many CPUs as `devices` name.
      config: a tf.ConfigProto for the session that is created.

    Raises:
      ArgumentError: the batches have no ids, or both `session` and `config` are given.
    """
    if session is not None and config is not None:
        raise ArgumentError("pass session= or config=, not both: config= is for the session that check_epoch creates")
    batches = source.build(devices)
    wanted = {
        # Through identities: a session returns fed values as they are, without running an operation.
        "ids": [tf.identity(_ids(batch, ids_of)) for batch in batches.per_tower],
        "counts": [tf.identity(count) for count in batches.counts or ()],
    }
    expected, name_of = _expected(examples)
    # Enough to report the case in which every tower wrongly receives all examples.
    limit = max(2, len(devices)) * epochs * len(expected) + (batches.plan.global_batch_size or 0)
    train_op, initialize = tf.no_op(), MissingInitializer()
    own = None
    if session is None:
        default_config = session_config(logical_cpus=logical_cpus(devices), allow_growth=True)
        session = own = tf.Session(config=default_config if config is None else config)
    try:
        towers, steps, ended = _run(Running(session, train_op, batches.hooks, initialize), wanted, batches, limit)
    finally:
        if own is not None:
            own.close()
    return _report(towers, steps, ended, epochs, expected, name_of, _may_lose(batches, epochs, len(expected)))


def _run(running: Running, wanted: Any, batches: TowerBatches, limit: int) -> Tuple[List[List[int]], int, bool]:
    towers: List[List[int]] = [[] for _ in batches.per_tower]
    counted = [tower for tower in range(len(towers)) if batches.modes is None or batches.modes[tower] != EVAL]
    if batches.shared_by_towers:
        counted = counted[:1]  # the others receive the same by design
    steps = 0
    with running as run:
        while sum(map(len, towers)) <= limit:
            values = run(wanted)
            steps += 1
            for tower in counted:
                count = values["counts"][tower] if values["counts"] else None
                towers[tower].extend(int(number) for number in values["ids"][tower].ravel()[:count])
        return towers, steps, False
    return towers, steps, True  # the block ended at the end of the data


def _ids(batch: NestedTensors, ids_of: Optional[Callable[[Any], Any]]) -> Any:
    if ids_of is not None:
        ids = tf.convert_to_tensor(ids_of(batch))
    elif isinstance(batch, dict) and "id" in batch:
        ids = batch["id"]
    else:
        raise ArgumentError("the batches have no ids ({}): read examples.with_ids(), or pass ids_of=".format(
            ", ".join(repr(path) for path, _ in structure.leaves(batch)[:5])
        ))
    if not ids.dtype.is_integer:
        raise ArgumentError("ids must be integers, not {}: pass ids_of= that returns integers".format(ids.dtype.name))
    return ids


def _expected(examples: Union[Examples, Sequence[int]]) -> Tuple[List[int], Callable[[int], str]]:
    if isinstance(examples, Examples):
        return list(examples.ids()), examples.name_of
    return [int(number) for number in examples], "example {}".format


def _may_lose(batches: TowerBatches, epochs: int, examples: int) -> int:
    plan = batches.plan
    if batches.counts is not None or not plan.global_batch_size or not plan.per_tower_batch_size:
        return 0
    steps = examples * epochs // plan.global_batch_size
    return examples * epochs - steps * plan.global_batch_size


def _report(
    towers: Sequence[Sequence[int]],
    steps: int,
    ended: bool,
    epochs: int,
    expected: Sequence[int],
    name_of: Callable[[int], str],
    may_lose: int,
) -> EpochReport:
    wanted = collections.Counter(expected)
    seen = collections.Counter(number for ids in towers for number in ids)
    lost = {number: times * epochs - seen[number] for number, times in wanted.items() if seen[number] < times * epochs}
    repeated = {
        number: seen[number] - times * epochs for number, times in wanted.items() if seen[number] > times * epochs
    }
    unknown = {number: times for number, times in seen.items() if number not in wanted}
    sets = [set(ids) for ids in towers]
    overlaps = {}
    for one in range(len(towers)):
        for other in range(one + 1, len(towers)):
            both = tuple(number for number in repeated if number in sets[one] and number in sets[other])
            if both:
                overlaps[one, other] = both
    return EpochReport(
        tuple(map(tuple, towers)), steps, epochs, len(expected), lost, repeated, unknown, overlaps, may_lose, ended,
        name_of,
    )


def _s(count: int) -> str:
    return "" if count == 1 else "s"
