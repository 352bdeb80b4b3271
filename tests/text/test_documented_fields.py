"""The fields of public NamedTuples are documented in `help`."""
import importlib
import inspect
import pydoc
from typing import NamedTuple

import pytest

from legacy_towers.text.documented_fields import attributes_of, documented_fields


def test_attributes_of_a_docstring():
    assert attributes_of("""Something.

    Attributes:
      one: its text,
        on two lines: with a colon.
      two, three: both.

    Raises:
      four: not one.
    """) == {"one": "its text, on two lines: with a colon.", "two": "both.", "three": "both."}
    assert attributes_of("no section: none") == {}


def test_documented_fields_get_the_text_of_the_class_and_others_an_empty_docstring():
    @documented_fields
    class Pair(NamedTuple):
        """A pair.

        Attributes:
          first: the first one.
        """

        first: int
        second: int = 2

    assert (Pair.first.__doc__, Pair.second.__doc__) == ("the first one.", "")
    assert Pair(1) == (1, 2) and Pair(1)._replace(second=3).second == 3


@pytest.mark.parametrize(
    "module, name",
    [
        ("legacy_towers", "Candidate"),
        ("legacy_towers", "Objective"),
        ("legacy_towers", "TowerOutput"),
        ("legacy_towers.devices", "Device"),
        ("legacy_towers.devices", "Missing"),
        ("legacy_towers.gradients", "GradientRow"),
        ("legacy_towers.gradients", "ReductionContext"),
        ("legacy_towers.gradients", "ReductionTraits"),
        ("legacy_towers.gradients", "TowerGradients"),
        ("legacy_towers.inputs", "Feed"),
        ("legacy_towers.inputs", "InputPlan"),
        ("legacy_towers.inputs", "TowerBatches"),
    ],
)
def test_help_of_a_public_named_tuple_has_no_field_numbers(module, name):
    public = getattr(importlib.import_module(module), name)
    shown = pydoc.plain(pydoc.render_doc(public))
    assert "Alias for field number" not in shown
    assert all(isinstance(getattr(public, field).__doc__, str) for field in public._fields)


PUBLIC = [
    "inputs", "variables", "gradients", "devices", "towers", "step", "step.plan", "update",
    "update.asynchronous_towers", "graph.placement", "graph.shared_batches", "measure.epochs", "autotune.choose",
]


@pytest.mark.parametrize("module", PUBLIC)
def test_each_field_of_what_public_functions_take_and_return_is_documented(module):
    found = importlib.import_module("legacy_towers." + module)
    for value in vars(found).values():
        if inspect.isclass(value) and hasattr(value, "_fields") and not value.__name__.startswith("_"):
            texts = {name: getattr(value, name).__doc__ for name in value._fields}
            undocumented = [name for name, text in texts.items() if not text or text.startswith("Alias for")]
            assert not undocumented, (value, undocumented)
