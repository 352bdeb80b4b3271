"""Predicts all strategies over 1, 2, 4, ... workers: which is the fastest, and from where more workers gain little."""
from typing import Dict, List, NamedTuple, Optional

from legacy_towers.scaling import all_reduce, asynchronous, parameter_servers
from legacy_towers.scaling.placement import on_servers
from legacy_towers.scaling.values import JobCosts, Network, Prediction, RuntimeCosts
from legacy_towers.specs.strategies import parse_strategy
from legacy_towers.text.documented_fields import documented_fields

# A doubling of the workers that gains less is not worth it.
LEAST_GAIN = 0.1
# Beyond this, the plan does not report where scaling ends.
MOST_WORKERS = 4096
_SMALLEST_PART = 1 << 20


@documented_fields
class ScalingLimit(NamedTuple):
    """Where one strategy stops scaling.

    Attributes:
      workers: twice as many gain less than a tenth, or lose, and so do more; None: 4096 still gain.
      gain: of examples/s by the doubling, such as 0.04; below 0 if they are fewer.
      limited_by: what limits the step with twice as many.
      faster_from: the fewest workers, of 2, 4, 8, ..., that are faster than one process; None: none up to 8192 are.
    """

    workers: Optional[int]
    gain: float
    limited_by: str
    faster_from: Optional[int]


@documented_fields
class ClusterPlan(NamedTuple):
    """The predictions for one job and one network.

    Attributes:
      job: what was measured of the job.
      network: the network that was given.
      runtime: what TensorFlow's runtime costs.
      predictions: by strategy, then by workers.
      limits: strategy -> where it stops scaling.
      fastest: the prediction with the most examples/s over the most workers, of the synchronous strategies.
    """

    job: JobCosts
    network: Network
    runtime: RuntimeCosts
    predictions: List[Prediction]
    limits: Dict[str, ScalingLimit]
    fastest: Prediction


def plan(job: JobCosts, network: Network, runtime: RuntimeCosts, workers: int, servers: int) -> ClusterPlan:
    """Predicts every strategy over 1, 2, 4, ... and `workers` workers, and `servers` parameter servers.

    The examples of a step grow with the workers: each tower keeps its batch size.
    """
    limits, predictions = {}, []
    for strategy in strategies(job, servers):
        found = [predict(strategy, job, network, runtime, each, servers) for each in worker_counts(workers)]
        predictions += found
        limits[strategy] = _limit(strategy, job, network, runtime, servers)
    last = [each for each in predictions if each.workers == workers and not is_asynchronous(each.strategy)]
    fastest = max(last, key=lambda each: each.examples_per_second)
    return ClusterPlan(job, network, runtime, predictions, limits, fastest)


def worker_counts(most: int) -> List[int]:
    """Returns 1, 2, 4, ... and `most`."""
    counts = [1]
    while counts[-1] * 2 <= most:
        counts.append(counts[-1] * 2)
    return counts if counts[-1] == most else counts + [most]


def strategies(job: JobCosts, servers: int) -> List[str]:
    """Returns the strategies to compare, as `--variables` takes them."""
    if servers == 1:
        return [all_reduce.STRATEGY, "parameter_server", "asynchronous"]
    parts = "partitioned:{}MiB".format(_part_bytes(job, servers) >> 20)
    return [all_reduce.STRATEGY, "parameter_server", "balanced", parts, "asynchronous+balanced",
            "asynchronous+" + parts]


def is_asynchronous(strategy: str) -> bool:
    """Returns whether the towers of a strategy don't wait for each other, which changes what they learn."""
    return parse_strategy(strategy)[0].name == "asynchronous"


def predict(
    strategy: str, job: JobCosts, network: Network, runtime: RuntimeCosts, workers: int, servers: int
) -> Prediction:
    """Predicts one strategy of `strategies` over `workers` workers."""
    if strategy == all_reduce.STRATEGY:
        return all_reduce.predict(job, network, runtime, workers)
    model = asynchronous.predict if is_asynchronous(strategy) else parameter_servers.predict
    placing = parse_strategy(strategy)[-1]
    used = servers if placing.name in ("balanced", "partitioned") else 1
    parts = placing.options.get("max_part_bytes", 0)
    return model(job, network, runtime, workers, strategy, on_servers(job.variables, used, parts))


def _part_bytes(job: JobCosts, servers: int) -> int:
    """Returns the size of the parts, whole MiB: about two for each server."""
    total = int(sum(each.bytes for each in job.variables))
    return max(1, -(-total // (2 * servers * _SMALLEST_PART))) * _SMALLEST_PART


def _limit(strategy: str, job: JobCosts, network: Network, runtime: RuntimeCosts, servers: int) -> ScalingLimit:
    counts = worker_counts(2 * MOST_WORKERS)
    rows = [predict(strategy, job, network, runtime, each, servers) for each in counts]
    gains = [
        after.examples_per_second / before.examples_per_second - 1 for before, after in zip(rows, rows[1:])
    ]
    # The first worker that exchanges something can lose more than the next ones gain.
    worth = [number for number, gain in enumerate(gains) if gain >= LEAST_GAIN]
    first = worth[-1] + 1 if worth else 0
    faster = [
        each.workers for each in rows if each.workers > 1 and each.examples_per_second > job.examples_per_second
    ]
    overtakes = faster[0] if faster else None
    if first == len(gains):
        return ScalingLimit(None, gains[-1], rows[-1].limited_by, overtakes)
    return ScalingLimit(counts[first], gains[first], rows[first + 1].limited_by, overtakes)
