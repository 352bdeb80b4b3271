"""What counts as a reduction, and what a chain consists of."""
import pytest

import legacy_towers as lt
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import as_reduction, members_of


def own(gradients):
    return gradients


@pytest.mark.parametrize(
    "given, message",
    [
        (lt.gradients.mean, r"write lt.gradients.mean\(\)"),
        (lt.gradients.clip_by_norm, r"write lt.gradients.clip_by_norm\(\)"),
        ("mean", "'mean' is no reduction"),
        (None, "None is no reduction"),
        (lt.gradients.Reduction, "is no reduction: make one"),
    ],
    ids=["a function of the room", "another", "a name", "nothing", "the class"],
)
def test_what_is_no_reduction(given, message):
    with pytest.raises(ArgumentError, match=message):
        as_reduction(given)


def test_a_function_of_ones_own_is_one():
    assert repr(as_reduction(own)) == "own"


def test_the_members_of_a_chain():
    inner = lt.gradients.chain(own, lt.gradients.mean())
    assert [repr(each) for each in members_of(lt.gradients.chain(lt.gradients.scale(2.0), inner))] == [
        "scale(2.0)", "own", "mean()"
    ]
    assert [repr(each) for each in members_of(own)] == ["own"]
