"""What counts as a reduction, and of what kind each is."""
import pytest

import legacy_towers as lt
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import as_reduction


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


PLAIN = {
    "mean()": "sum",
    "sum()": "sum",
    "mean(on='variable')": "sum",
    "tree()": "layout",
    "collective()": "layout",
    "nccl()": "layout",
    "packed()": "layout",
    "packed(compacted(sum()))": "layout",
    "packed(Own())": "change",
    "densify()": "form",
    "check_numerics()": "form",
    "missing('zeros')": "change",
    "scale(2.0)": "change",
    "deferred()": "change",
}


class Own(lt.gradients.Reduction):
    """Says nothing of itself."""


@pytest.mark.parametrize("text", sorted(PLAIN))
def test_of_what_kind_it_is(text):
    names = {name: getattr(lt.gradients, name) for name in lt.gradients.__all__}
    assert eval(text, dict(names, Own=Own)).kind == PLAIN[text]


# Worked out by hand from what `compacted` states, weights included: down, times the weight, and the result count one
# each; so does each round of sums of a tree but the last; a ring of N adds (N + 1) / 2.
ROUNDINGS = [
    ("mean()", 8, 3),
    ("packed(mean())", 8, 3),
    ("tree()", 1, 3),
    ("tree()", 2, 3),
    ("tree()", 3, 4),
    ("tree()", 4, 4),
    ("compacted(packed(tree()))", 5, 5),
    ("tree()", 8, 5),
    ("collective()", 4, 5.5),
    ("nccl()", 2, 4.5),
]


@pytest.mark.parametrize("text, towers, expected", ROUNDINGS, ids=["{} of {}".format(*each[:2]) for each in ROUNDINGS])
def test_how_often_a_gradient_is_rounded(text, towers, expected):
    names = {name: getattr(lt.gradients, name) for name in lt.gradients.__all__}
    if text == "compacted(packed(tree()))":
        assert eval(text, names).travels_in == "float16"
    assert eval(text, names).roundings(towers) == expected
