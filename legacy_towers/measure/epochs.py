"""Whether a way in gives every example to one tower, once an epoch: run to its end, without a model."""
import collections
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError
from legacy_towers.examples import Examples
from legacy_towers.initialize import MissingInitializer
from legacy_towers.inputs.base import Input, TowerBatches
from legacy_towers.running import Running
from legacy_towers.towers.output import EVAL

_NAMED = 3  # how many examples a report names of each kind


class EpochReport(NamedTuple):
    """Which examples the towers got. `print` gives a line for each thing that is wrong.

    Ids are those of `Examples.numbered()`, or what `ids_of` gave.
    """

    per_tower: Tuple[Tuple[int, ...], ...]  # each tower's ids, in the order in which they came; () if it validates
    steps: int
    epochs: int
    examples: int  # in one epoch of the data
    lost: Dict[int, int]  # id -> how many times it didn't come
    repeated: Dict[int, int]  # id -> how many times it came too often
    unknown: Dict[int, int]  # id that the data don't have -> how often it came
    overlaps: Dict[Tuple[int, int], Tuple[int, ...]]  # two towers -> the repeated ids that both of them got
    may_lose: int  # examples that don't fill a last global batch, where such a batch is dropped
    ended: bool  # False: stopped, as it gave more than each tower all examples
    name_of: Callable[[int], str]

    @property
    def ok(self) -> bool:
        """Whether each example came once an epoch, to one tower, but for a last incomplete global batch."""
        wrong = self.repeated or self.unknown or self.overlaps or not self.ended
        return not wrong and sum(self.lost.values()) <= self.may_lose

    def __str__(self) -> str:
        came = sum(map(len, self.per_tower))
        lines = ["{}: {:,} examples to {} tower{} in {:,} step{}, of {} epoch{} of {:,}".format(
            "each example to one tower, once an epoch" if self.ok else "NOT each example to one tower, once an epoch",
            came, len(self.per_tower), _s(len(self.per_tower)), self.steps, _s(self.steps), self.epochs,
            _s(self.epochs), self.examples,
        )]
        if self.lost:
            dropped = sum(self.lost.values()) <= self.may_lose
            title = "left out at the end, as they fill no global batch" if dropped else "lost"
            lines.append(self._line(title, self.lost))
        if self.repeated:
            lines.append(self._line("came too often", self.repeated))
        if self.unknown:
            lines.append(self._line("not of these data", self.unknown, str))
        for (one, other), ids in self.overlaps.items():
            lines.append(self._line("both tower {} and tower {} got".format(one, other), dict.fromkeys(ids, 1)))
        if not self.ended:
            lines.append("it didn't end, and was stopped after {:,} examples: is it read endlessly?".format(came))
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
    session: Any = None,
    config: Any = None,
) -> EpochReport:
    """Runs a way in to its end and returns which examples the towers got.

        numbered = examples.numbered()
        with tf.Graph().as_default():
            report = lt.check_epoch(lt.inputs.queue(numbered, per_tower_batch_size=16, epochs=1), numbered, devices)
        assert report.ok, report

    Args:
      source: any way in, yours too; it must end. Its operations are made in the default graph.
      examples: what it reads, numbered or not; or the ids of one epoch.
      devices: one device string per tower.
      epochs: how often each example should come.
      ids_of: a function from a tower's batch to a vector of integer ids; None takes `batch["id"]`.
      session: the session to run in, of the default graph; None makes one, with as many logical CPUs as `devices` name.
      config: a tf.ConfigProto for the session that is made.

    Raises:
      ArgumentError: the batches have no ids, or both `session` and `config` are given.
    """
    if session is not None and config is not None:
        raise ArgumentError("give session= or config=, not both: the config is for a session that is made here")
    batches = source.build(devices)
    wanted = {
        # By identities: a session gives back what was fed without looking at it.
        "ids": [tf.identity(_ids(batch, ids_of)) for batch in batches.per_tower],
        "counts": [tf.identity(count) for count in batches.counts or ()],
    }
    expected, name_of = _expected(examples)
    # More than when every tower wrongly gets all of them: that is to be told whole.
    limit = max(2, len(devices)) * epochs * len(expected) + (batches.plan.global_batch_size or 0)
    train_op, initialize = tf.no_op(), MissingInitializer()
    own = None
    if session is None:
        session = own = tf.Session(config=_config_for(devices) if config is None else config)
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
        counted = counted[:1]  # the others are meant to get the same
    steps = 0
    with running as run:
        while sum(map(len, towers)) <= limit:
            values = run(wanted)
            steps += 1
            for tower in counted:
                count = values["counts"][tower] if values["counts"] else None
                towers[tower].extend(int(number) for number in values["ids"][tower].ravel()[:count])
        return towers, steps, False
    return towers, steps, True  # the end of data has ended the block


def _ids(batch: Any, ids_of: Optional[Callable[[Any], Any]]) -> Any:
    if ids_of is not None:
        ids = tf.convert_to_tensor(ids_of(batch))
    elif isinstance(batch, dict) and "id" in batch:
        ids = batch["id"]
    else:
        raise ArgumentError("the batches have no ids ({}): read examples.numbered(), or pass ids_of=".format(
            ", ".join(repr(path) for path, _ in structure.leaves(batch)[:5])
        ))
    if not ids.dtype.is_integer:
        raise ArgumentError("ids must be integers, not {}: pass ids_of= that gives some".format(ids.dtype.name))
    return ids


def _expected(examples: Union[Examples, Sequence[int]]) -> Tuple[List[int], Callable[[int], str]]:
    if isinstance(examples, Examples):
        return list(examples.ids()), examples.name_of
    return [int(number) for number in examples], "example {}".format


def _config_for(devices: Sequence[str]) -> Any:
    specs = [tf.DeviceSpec.from_string(device) for device in devices]
    indices = [spec.device_index or 0 for spec in specs if spec.device_type == "CPU"]
    return session_config(logical_cpus=max(indices + [0]) + 1, allow_growth=True)


def _may_lose(batches: TowerBatches, epochs: int, examples: int) -> int:
    plan = batches.plan
    if batches.counts is not None or not plan.global_batch_size or not plan.per_tower_batch_size:
        return 0
    steps = examples * epochs // plan.global_batch_size
    if plan.route == "sharded" and plan.order == "any":
        # The shortest shard ends it.
        steps = examples // len(batches.per_tower) * epochs // plan.per_tower_batch_size
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
