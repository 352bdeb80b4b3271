"""What a chain consists of, and what it says of itself."""
import pytest

import legacy_towers as lt
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.chain import members_of


def own(gradients):
    return gradients


def test_the_members_of_a_chain():
    inner = lt.gradients.chain(own, lt.gradients.mean())
    assert [repr(each) for each in members_of(lt.gradients.chain(lt.gradients.scale(2.0), inner))] == [
        "scale(2.0)", "own", "mean()"
    ]
    assert [repr(each) for each in members_of(own)] == ["own"]


@pytest.mark.parametrize(
    "parts, message",
    [
        ([], r"chain\(\) of nothing: name what is to be done"),
        (["mean"], "'mean' is no reduction: make one"),
        ([lt.gradients.mean(), None], "None is no reduction"),
        ([lt.gradients.scale(2.0), lt.gradients.mean], r"write lt.gradients.mean\(\)"),
        (
            [lt.gradients.clip_by_norm(1.0), lt.gradients.loss_scale(8.0)],
            r"clip_by_norm\(1.0\) stands in front of loss_scale\(8.0\), and would see the gradients of the scaled loss",
        ),
    ],
    ids=["nothing", "a name", "None", "not called", "clipped before it is scaled back"],
)
def test_what_makes_no_chain(parts, message):
    with pytest.raises(ArgumentError, match=message):
        lt.gradients.chain(*parts)
