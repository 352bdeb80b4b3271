"""Specs of input pipelines: parsing, full names, and errors."""
import pytest

import legacy_towers as lt
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs import named
from legacy_towers.specs.pipelines import GRAMMAR, PIPELINES, check_pipeline, full_name, parse_pipeline


def calls(text):
    return [(call.name, call.options) for call in parse_pipeline(text)]


def test_parse_pipeline_puts_the_wrapper_first():
    assert calls("staged+dataset:sharded") == [("staged", {}), ("dataset", {"route": "sharded"})]
    assert calls("staged+feed:background") == [("staged", {}), ("feed", {"background": True})]
    assert calls("dataset") == [("dataset", {})]


def test_each_name_of_the_specs_has_a_maker():
    assert set(named.MAKERS) | set(named.WRAPPERS) == set(GRAMMAR.terms)


def test_pipelines_are_listed_by_their_full_names():
    assert [full_name(name) for name in PIPELINES] == list(PIPELINES)
    assert len(set(PIPELINES)) == len(PIPELINES) == 15


@pytest.mark.parametrize("text, full", [
    ("dataset", "dataset:next_per_tower"),
    ("staged+dataset", "staged+dataset:next_per_tower"),
    ("staged+queue", "staged+queue"),
    ("staged+dataset:sharded:files", "staged+dataset:sharded:files"),
])
def test_full_name(text, full):
    assert full_name(text) == full


def test_dataset_builds_the_pipeline_of_its_full_name():
    examples = lt.Examples.from_arrays({"x": [[1.0], [2.0]]})
    plans = [
        str(named.make_pipeline(text, examples, per_tower_batch_size=1).build(["/cpu:0"]).plan)
        for text in ("dataset", full_name("dataset"))
    ]
    assert plans[0] == plans[1]


@pytest.mark.parametrize("text, message", [
    ("", "--input: the input pipeline '' is empty: the names are 'synthetic', 'feed', 'queue', 'dataset', 'staged'"),
    ("files", "--input: there is no input pipeline 'files': the names are 'synthetic', 'feed'"),
    ("dataset:spilt", "--input: the input pipeline 'dataset:spilt': after \":\", 'dataset' takes one of the routes "),
    ("dataset:sharded:file", "'dataset' takes one of the routes split, next_per_tower, sharded, per_device, "
     "or sharded:files"),
    ("dataset:split:files", "after \":\", 'dataset' takes one of the routes"),
    ("feed:2", "--input: the input pipeline 'feed:2': after \":\", 'feed' takes 'background'"),
    ("queue:2", "--input: the input pipeline 'queue:2': 'queue' takes no \":\""),
    ("staged", "'staged' is a wrapper and needs what it wraps after it, as in 'staged+feed'"),
    ("staged+synthetic", "'synthetic' can't follow 'staged', which wraps 'feed', 'queue', 'dataset'"),
    ("staged+staged+feed", "'staged' can't follow 'staged', which wraps 'feed', 'queue', 'dataset'"),
    ("dataset:split+staged", "'staged' can't follow 'dataset', which wraps nothing; a wrapper comes first: "
     "'staged+dataset:split'"),
    ("feed+queue", "'queue' can't follow 'feed', which wraps nothing"),
    (None, "--input: the input pipeline must be a string, got None"),
])
def test_check_pipeline_rejects_invalid_specs(text, message):
    with pytest.raises(ArgumentError) as error:
        check_pipeline(text, "--input")
    assert message in str(error.value)
