"""Conversion of values to reductions, and the traits of reductions."""
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
        ("mean", "a reduction is needed, got 'mean': pass"),
        (None, "a reduction is needed, got None"),
        (lt.gradients.Reduction, "a reduction is needed, got <class .*: pass lt.gradients.mean"),
    ],
    ids=["a function of the package", "a class of the package", "a name", "None", "the base class"],
)
def test_as_reduction_rejects_other_values(given, message):
    with pytest.raises(ArgumentError, match=message):
        as_reduction(given)


def test_a_function_is_a_reduction():
    assert repr(as_reduction(own)) == "own"


PLAIN = {
    "mean()": "sum",
    "sum()": "sum",
    "mean(on='variable')": "sum",
    "tree()": "layout",
    "collective()": "layout",
    "nccl()": "layout",
    "bucketed()": "layout",
    "bucketed(compressed(sum()))": "layout",
    "bucketed(Own())": "change",
    "densify()": "form",
    "check_numerics()": "form",
    "missing('zeros')": "change",
    "scale(2.0)": "change",
    "delayed()": "change",
}


class Own(lt.gradients.Reduction):
    """A reduction without traits."""


@pytest.mark.parametrize("text", sorted(PLAIN))
def test_kind_of_a_reduction(text):
    names = {name: getattr(lt.gradients, name) for name in lt.gradients.__all__}
    assert eval(text, dict(names, Own=Own)).traits.kind == PLAIN[text]


# Computed from what `compressed` documents: rounding to 16 bits, the product with the weight and the result count one
# each, and so does each level of sums of a tree but the last; a ring of N adds (N + 1) / 2.
ROUNDINGS = [
    ("mean()", 8, 3),
    ("bucketed(mean())", 8, 3),
    ("tree()", 1, 3),
    ("tree()", 2, 3),
    ("tree()", 3, 4),
    ("tree()", 4, 4),
    ("compressed(bucketed(tree()))", 5, 5),
    ("tree()", 8, 5),
    ("collective()", 4, 5.5),
    ("nccl()", 2, 4.5),
]


@pytest.mark.parametrize("text, towers, expected", ROUNDINGS, ids=["{} of {}".format(*each[:2]) for each in ROUNDINGS])
def test_roundings(text, towers, expected):
    names = {name: getattr(lt.gradients, name) for name in lt.gradients.__all__}
    if text == "compressed(bucketed(tree()))":
        assert eval(text, names).traits.transfer_dtype == "float16"
    assert eval(text, names).roundings(towers) == expected
