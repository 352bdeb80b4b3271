"""What strategies and reductions are said to compute by design."""
import pytest

import legacy_towers as lt
from legacy_towers.compare.meaning import Meaning, meaning_of

gradients = lt.gradients


class Own(gradients.Reduction):
    """One that says nothing of itself."""

    def __repr__(self):
        return "own"


class Apart(lt.variables.Strategy):
    updates = "asynchronous"


def job(reduction=None, variables=None):
    return lt.Job(None, None, None, reduction=reduction, variables=variables)


def meaning(reduction=None, variables=None, towers=4):
    return meaning_of(job(reduction, variables), lt.devices.cpus(towers))


@pytest.mark.parametrize(
    "reduction, current, expected, why",
    [
        (None, gradients.mean(on="variable"), "same", ""),
        (gradients.tree(), gradients.mean(), "same", ""),
        (gradients.chain(gradients.check_numerics(), gradients.mean()), None, "same", ""),
        (gradients.sum(), None, "other", "gradients go through a sum in place of the mean, and by the current one "
                                         "through a mean alone"),
        (gradients.tree(combine="sum"), gradients.sum(), "same", ""),
        (gradients.chain(gradients.mean(), gradients.clip_by_norm(1.0)), None, "other", "clip_by_norm(1.0)"),
        (gradients.chain(gradients.clip_by_norm(1.0), gradients.mean()),
         gradients.chain(gradients.clip_by_norm(1.0), gradients.tree()), "same", ""),
        (gradients.chain(gradients.mean(), gradients.accumulate(4)), None, "other", "accumulate(4)"),
        (gradients.chain(gradients.mean(), gradients.deferred()), None, "other", "deferred()"),
        (gradients.packed(), None, "same", ""),
        (gradients.packed(gradients.sum()), None, "other", "a sum in place of the mean"),
        (gradients.packed(Own()), None, "other", "packed(own)"),
        (gradients.chain(gradients.densify(), gradients.mean()), None, "same", ""),
        (lambda given: given, None, "other", "<lambda>"),
        (gradients.compacted(gradients.packed()), None, "rounded", "gradients travel in float16"),
        (gradients.packed(gradients.compacted()), gradients.compacted(gradients.packed()), "same", ""),
    ],
    ids=["place", "tree", "a look", "sum", "two sums", "clipped", "both clipped", "accumulated", "deferred",
         "packed", "packed sum", "packed by one's own", "dense", "one's own", "in fewer bits", "in fewer bits twice"],
)
def test_what_a_reduction_computes(reduction, current, expected, why):
    found, said = meaning(reduction).against(meaning(current))
    assert found == expected and why in said and bool(said) == (expected != "same")


def test_towers_that_apply_on_their_own_compute_something_else():
    apart, together = meaning(variables=Apart()), meaning()
    assert apart.against(together) == ("other", "towers apply their own gradients without waiting for each other")
    assert together.against(apart)[1].startswith("of the current one, towers apply")
    assert apart.against(apart)[0] == "other"  # by chance, whatever it is


def test_rounding_has_the_bound_that_is_stated():
    exact = Meaning("reduced", (), None, 3.0, 4)
    half = exact._replace(rounded_to="float16")
    assert half.against(exact) == ("rounded", "gradients travel in float16")
    assert exact.against(half)[0] == "other" and half.against(half)[0] == "same"
    assert exact.gradient_bound(1.0) is None
    assert half.gradient_bound(0.5) == 3 * (4 * 2.0 ** -11 + 2 * 2.0 ** -25)
    assert half._replace(rounded_to="bfloat16").gradient_bound(0.5) == 3 * 4 * 2.0 ** -8
    assert meaning(gradients.tree()).roundings == 4 and meaning(gradients.tree(), towers=1).roundings == 3
