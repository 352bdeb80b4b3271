"""Whether strategies and reductions compute the same numbers by design."""
import pytest

import legacy_towers as lt
from legacy_towers.compare.computation import Computation, computation_of

gradients = lt.gradients


class Own(gradients.Reduction):
    """A reduction without traits."""

    def __repr__(self):
        return "own"


class AsynchronousUpdates(lt.variables.Strategy):
    updates = "asynchronous"


def job(reduction=None, variables=None):
    return lt.Job(None, None, None, reduction=reduction, variables=variables)


def computation(reduction=None, variables=None, towers=4):
    return computation_of(job(reduction, variables), lt.devices.cpus(towers))


@pytest.mark.parametrize(
    "reduction, current, expected, why",
    [
        (None, gradients.mean(on="variable"), "same", ""),
        (gradients.tree(), gradients.mean(), "same", ""),
        (gradients.chain(gradients.check_numerics(), gradients.mean()), None, "same", ""),
        (
            gradients.sum(),
            None,
            "other",
            "gradients go through a sum in place of the mean, and with the current one through a mean alone",
        ),
        (gradients.tree(combine="sum"), gradients.sum(), "same", ""),
        (gradients.chain(gradients.mean(), gradients.clip_by_norm(1.0)), None, "other", "clip_by_norm(1.0)"),
        (
            gradients.chain(gradients.clip_by_norm(1.0), gradients.mean()),
            gradients.chain(gradients.clip_by_norm(1.0), gradients.tree()),
            "same",
            "",
        ),
        (gradients.chain(gradients.mean(), gradients.accumulate(4)), None, "other", "accumulate(4)"),
        (gradients.chain(gradients.mean(), gradients.delayed()), None, "other", "delayed()"),
        (gradients.bucketed(), None, "same", ""),
        (gradients.bucketed(gradients.sum()), None, "other", "a sum in place of the mean"),
        (gradients.bucketed(Own()), None, "other", "bucketed(own)"),
        (gradients.chain(gradients.densify(), gradients.mean()), None, "same", ""),
        (lambda given: given, None, "other", "<lambda>"),
        (gradients.compressed(gradients.bucketed()), None, "rounded", "gradients are transferred in float16"),
        (gradients.bucketed(gradients.compressed()), gradients.compressed(gradients.bucketed()), "same", ""),
    ],
    ids=[
        "device",
        "tree",
        "check_numerics",
        "sum",
        "two sums",
        "clipped",
        "both clipped",
        "accumulated",
        "delayed",
        "bucketed",
        "bucketed sum",
        "bucketed custom reduction",
        "densify",
        "custom reduction",
        "compressed",
        "both compressed",
    ],
)
def test_a_reduction_against_the_current_one(reduction, current, expected, why):
    found, reason = computation(reduction).against(computation(current))
    assert found == expected and why in reason and bool(reason) == (expected != "same")


def test_asynchronous_updates_compute_other_numbers():
    asynchronous, synchronous = computation(variables=AsynchronousUpdates()), computation()
    assert asynchronous.against(synchronous) == (
        "other", "towers apply their own gradients without waiting for each other"
    )
    assert synchronous.against(asynchronous)[1].startswith("of the current one, towers apply")
    assert asynchronous.against(asynchronous)[0] == "other"  # two runs differ by chance


def test_compression_has_the_documented_bound():
    exact = Computation("reduced", (), None, 3.0, 4)
    half = exact._replace(rounded_to="float16")
    assert half.against(exact) == ("rounded", "gradients are transferred in float16")
    assert exact.against(half)[0] == "other" and half.against(half)[0] == "same"
    assert exact.gradient_bound(1.0) is None
    assert half.gradient_bound(0.5) == 3 * (4 * 2.0 ** -11 + 2 * 2.0 ** -25)
    assert half._replace(rounded_to="bfloat16").gradient_bound(0.5) == 3 * 4 * 2.0 ** -8
    assert computation(gradients.tree()).roundings == 4 and computation(gradients.tree(), towers=1).roundings == 3
