"""The plan over numbers of workers, and its text."""
import pytest
from scaling.simulated_links import RUNTIME

from legacy_towers.scaling.plan import plan, worker_counts
from legacy_towers.scaling.report import plan_text
from legacy_towers.scaling.values import JobCosts, Message, Network, VariableCosts

NETWORK = Network(3.125e9, 5e-5, 8)


def costs(size=100 << 20, compute=0.2, rows=None):
    sent = size if rows is None else rows * 1008
    variables = [
        VariableCosts("table", size, sent, sent, sent, 1.0, rows), VariableCosts("bias", 400, 400, 400, 400, 0.9)
    ]
    return JobCosts(1, 32, compute, 0.001, compute, variables, [Message(400, 0.9), Message(size, 1.0)])


def test_worker_counts_are_powers_of_two_and_the_most():
    assert worker_counts(1) == [1]
    assert worker_counts(8) == [1, 2, 4, 8]
    assert worker_counts(12) == [1, 2, 4, 8, 12]


def test_plan_names_the_fastest_strategy_and_where_each_stops():
    found = plan(costs(), NETWORK, RUNTIME, 64, 4)
    assert [each.workers for each in found.predictions if each.strategy == "balanced"] == [1, 2, 4, 8, 16, 32, 64]
    assert {each.strategy for each in found.predictions} == set(found.limits) == {
        "replicated", "parameter_server", "balanced", "partitioned:13MiB", "asynchronous+balanced",
        "asynchronous+partitioned:13MiB",
    }
    assert found.fastest.strategy == "replicated"
    rates = {(each.strategy, each.workers): each.examples_per_second for each in found.predictions}
    for strategy, limit in found.limits.items():
        if limit.workers is not None and limit.workers <= 32:
            gain = rates[strategy, limit.workers * 2] / rates[strategy, limit.workers] - 1
            assert gain < 0.1 and limit.gain == pytest.approx(gain), strategy
            assert limit.workers == 1 or rates[strategy, limit.workers] / rates[strategy, limit.workers // 2] >= 1.1
    assert found.limits["parameter_server"].workers < found.limits["replicated"].workers
    assert found.limits["parameter_server"].limited_by == "bandwidth of a parameter server"


def test_sparse_gradients_are_faster_over_parameter_servers():
    found = plan(costs(rows=500), NETWORK, RUNTIME, 8, 1)
    assert found.fastest.strategy == "parameter_server"
    assert found.fastest.sent_bytes == 500 * 1008 + 400
    text = plan_text(found)
    assert "sparse: 1 variable, of which a worker uses 500 rows per step" in text
    assert "fastest with 8 workers: parameter_server" in text


def test_a_plan_without_a_faster_strategy_says_so_before_the_table():
    found = plan(costs(size=10**7, compute=0.001), NETWORK, RUNTIME, 2, 1)
    before_table, _, after_table = plan_text(found).partition("\nstrategy ")
    assert "no strategy is faster than one process with up to 2 workers" in before_table
    assert "fastest with 2 workers: " in after_table


def test_a_plan_in_which_only_asynchronous_training_is_faster_says_so():
    runtime = RUNTIME._replace(hop_seconds=0.1, step_seconds=0.1)
    text = plan_text(plan(costs(size=1000, compute=0.01), NETWORK, runtime, 8, 1))
    assert "no synchronous strategy is faster than one process with up to 8 workers" in text


def test_asynchronous_training_is_named_where_it_has_more_examples_per_second():
    slow = RUNTIME._replace(step_seconds=0.1)
    found = plan(costs(size=1000, compute=0.01), NETWORK, slow._replace(hop_seconds=0.1), 8, 1)
    assert not found.fastest.strategy.startswith("asynchronous")
    assert "asynchronous training has more examples/s" in " ".join(plan_text(found).split())


def test_asynchronous_training_has_a_range_where_the_overlap_of_rounds_matters():
    slow = NETWORK._replace(bandwidth=1e7)
    found = plan(costs(size=10**7, compute=0.01), slow, RUNTIME, 4, 1)
    last = next(each for each in found.predictions if each.strategy == "asynchronous" and each.workers == 4)
    least, most = last.examples_per_second_range
    # All read 10 MB of a link of 10 MB/s at the same time, and then send as much; or each direction is always full.
    assert least == pytest.approx(4 * 32 / (4 + 4), rel=0.02)
    assert most == pytest.approx(32 / 1, rel=0.001)
    text = " ".join(plan_text(found).split())
    assert "asynchronous with 4 workers: {:,.0f} to {:,.0f} examples/s, by how the".format(least, most) in text
    small = plan(costs(size=1000, compute=1.0), slow, RUNTIME, 4, 1)
    assert "overlap" not in plan_text(small)
