"""The members of a chain, and invalid chains."""
import pytest

import legacy_towers as lt
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.chain import members_of


def own(gradients):
    return gradients


def test_members_of_a_chain():
    inner = lt.gradients.chain(own, lt.gradients.mean())
    assert [repr(each) for each in members_of(lt.gradients.chain(lt.gradients.scale(2.0), inner))] == [
        "scale(2.0)", "own", "mean()"
    ]
    assert [repr(each) for each in members_of(own)] == ["own"]


@pytest.mark.parametrize(
    "parts, message",
    [
        ([], r"chain\(\) has no members: pass at least one reduction"),
        (["mean"], "a reduction is needed, got 'mean': pass"),
        ([lt.gradients.mean(), None], "a reduction is needed, got None"),
        ([lt.gradients.scale(2.0), lt.gradients.mean], r"write lt.gradients.mean\(\)"),
        (
            [lt.gradients.clip_by_norm(1.0), lt.gradients.loss_scale(8.0)],
            r"clip_by_norm\(1.0\) comes before loss_scale\(8.0\) in the chain, so that it would get the gradients of "
            "the scaled loss, not their true size",
        ),
    ],
    ids=["empty", "a name", "None", "not called", "clipped before the loss scale is divided"],
)
def test_chain_rejects_other_values(parts, message):
    with pytest.raises(ArgumentError, match=message):
        lt.gradients.chain(*parts)
