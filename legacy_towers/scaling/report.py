"""Prints a plan of a cluster: what was measured, a table, the fastest strategy, and where each stops scaling."""
from typing import List

from legacy_towers.scaling.plan import MOST_WORKERS, ClusterPlan, ScalingLimit, is_asynchronous
from legacy_towers.scaling.units import bandwidth_text, bytes_text, time_text
from legacy_towers.scaling.values import JobCosts, Prediction, RuntimeCosts
from legacy_towers.text.names import counted
from legacy_towers.text.terminal import FILE, GREEN, Layout

# The range of asynchronous training is printed if its ends differ by more.
_WIDE = 0.2


def plan_text(plan: ClusterPlan, layout: Layout = FILE) -> str:
    """Returns the plan as text for a terminal or a file."""
    network = "network: {}, {} one way, {:g} cores per machine".format(
        bandwidth_text(plan.network.bandwidth), time_text(plan.network.latency), plan.network.cores
    )
    lines = [layout.sentence(each) for each in costs_text(plan.job, plan.runtime) + [network]]
    header = ["strategy", "workers", "step", "examples/s", "per worker and step", "limited by"]
    rows, colours = [], []
    for each in plan.predictions:
        traffic = each.sent_bytes + each.received_bytes
        rows.append([
            each.strategy, each.workers, time_text(each.step_seconds), "{:,.0f}".format(each.examples_per_second),
            bytes_text(traffic) if traffic else "", each.limited_by,
        ])
        colours.append(GREEN if each == plan.fastest else None)
    faster = [each for each in plan.predictions if each.examples_per_second > plan.job.examples_per_second]
    if all(is_asynchronous(each.strategy) for each in faster):
        lines.append(layout.sentence("no {}strategy is faster than one process with up to {}".format(
            "synchronous " if faster else "", counted(plan.fastest.workers, "worker")
        )))
    lines += ["", layout.table(header, rows, "lrrrrl", colours), ""]
    lines.append(layout.sentence(_fastest(plan), colour=GREEN))
    lines += [layout.sentence("{}: {}".format(name, _limit(limit))) for name, limit in plan.limits.items()]
    lines += [layout.sentence(_range(each)) for each in plan.predictions if _is_wide(each, plan.fastest.workers)]
    return "\n".join(lines)


def costs_text(job: JobCosts, runtime: RuntimeCosts) -> List[str]:
    """Returns a sentence for each part of what was measured."""
    sparse = [each for each in job.variables if each.rows is not None]
    size = sum(each.bytes for each in job.variables)
    lines = [
        "a worker: {}, {:,} examples per step in {}, {} of CPU time".format(
            counted(job.towers, "tower"), job.examples, time_text(job.step_seconds), time_text(job.cpu_seconds)
        ),
        "trained: {}, {}; replicated exchanges {} in {} per step".format(
            counted(len(job.variables), "variable"), bytes_text(size),
            bytes_text(sum(each.sparse_bytes or each.bytes for each in job.messages)),
            counted(len(job.messages), "message"),
        ),
    ]
    if sparse:
        lines.append("sparse: {}, of which a worker uses {} per step".format(
            counted(len(sparse), "variable"), counted(sum(each.rows or 0 for each in sparse), "row")
        ))
    lines.append(
        "TensorFlow {}: {} per hop of an all-reduce, {} per step over parameter servers; of CPU time per MB {} in an "
        "all-reduce, {} and {} at a worker and a parameter server".format(
            runtime.tensorflow, time_text(runtime.hop_seconds), time_text(runtime.step_seconds),
            time_text(1e6 * runtime.ring_byte_seconds), time_text(1e6 * runtime.worker_byte_seconds),
            time_text(1e6 * runtime.server_byte_seconds),
        )
    )
    return lines


def _fastest(plan: ClusterPlan) -> str:
    best, alone = plan.fastest, plan.job.examples_per_second
    text = "fastest with {}: {}, {:,.0f} examples/s, {:.3g} times one process".format(
        counted(best.workers, "worker"), best.strategy, best.examples_per_second, best.examples_per_second / alone,
    )
    most = [each for each in plan.predictions if each.workers == best.workers]
    if any(is_asynchronous(each.strategy) and each.examples_per_second > best.examples_per_second for each in most):
        text += " (asynchronous training has more examples/s, but trains with stale gradients)"
    return text


def _is_wide(prediction: Prediction, workers: int) -> bool:
    """Returns whether a prediction for so many workers depends by more than `_WIDE` on how their rounds overlap."""
    found = prediction.examples_per_second_range
    return prediction.workers == workers and found is not None and found[1] > (1 + _WIDE) * found[0]


def _range(prediction: Prediction) -> str:
    least, most = prediction.examples_per_second_range or (0.0, 0.0)
    return "{} with {}: {:,.0f} to {:,.0f} examples/s, by how the rounds of the workers overlap; the table has the " \
        "mean".format(prediction.strategy, counted(prediction.workers, "worker"), least, most)


def _limit(limit: ScalingLimit) -> str:
    if limit.faster_from is None:
        return "never faster than one process, limited by {}".format(limit.limited_by)
    if limit.workers is None:
        text = "scales beyond {:,} workers".format(MOST_WORKERS)
    elif limit.gain < 0:
        text = "stops scaling at {}: twice as many have {:.1%} fewer examples/s, limited by {}".format(
            counted(limit.workers, "worker"), -limit.gain, limit.limited_by
        )
    else:
        text = "stops scaling at {}: twice as many gain {:.1%}, limited by {}".format(
            counted(limit.workers, "worker"), limit.gain, limit.limited_by
        )
    return text if limit.faster_from == 2 else "{}; faster than one process from {:,} on".format(
        text, limit.faster_from
    )
