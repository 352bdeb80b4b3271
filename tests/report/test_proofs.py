"""The report of whether strategies compute the same numbers."""
import re

import pytest
from report import documents

from legacy_towers.report import proofs
from legacy_towers.report.changes import format_changes
from legacy_towers.report.text import format_document


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def test_each_state_has_its_labels():
    states = {item.candidate: proofs.state_of(item) for item in documents.strategies().proofs}
    assert states == {
        "parameter_server": "current", "balanced": "rounding", "replicated": "same", "replicated_wrong": "differs",
        "compressed": "rounded", "asynchronous": "other", "drawing": "not compared",
    }
    assert set(states.values()) == set(proofs.SHORT) == set(proofs.PROOF_LABELS)


@pytest.mark.parametrize(
    "names, sentence",
    [
        (["replicated"], "of 1 strategy, 1 computes the same as parameter_server"),
        (["balanced", "replicated", "asynchronous"],
         "of 3 strategies, 1 computes the same as parameter_server, 1 computes the same as it except for rounding, 1 "
         "computes different numbers from it by design"),
        (["compressed", "replicated_wrong", "drawing"],
         "of 3 strategies, 1 computes the same as parameter_server except for rounding to a smaller dtype, 1 computes "
         "different numbers from it, but should not, 1 was not compared with it"),
        ([], "there is nothing to compare the numbers of parameter_server with"),
    ],
    ids=["one", "three", "rounded, wrong, not compared", "none"],
)
def test_summary(names, sentence):
    document = documents.strategies(("parameter_server",) + tuple(names))
    assert proofs.summary(document, 4) == sentence


def test_the_table_of_strategies_in_the_terminal():
    text = format_document(documents.strategies())
    table = text.split("\n4 towers\n")[1].splitlines()
    assert re.split(r" {2,}", table[0]) == [
        "variables", "examples/s", "updates/s", "p50 ms", "p95 ms", "cores", "peak MB", "/ current", "numbers"
    ]
    rows = {re.split(r" {2,}", line)[0]: re.split(r" {2,}", line) for line in table[2:9]}
    assert rows["replicated"][1:3] == ["4,213 \u00b1 84", "65.8"]
    assert rows["replicated"][-2:] == ["1.21 \u00b1 0.02", "same"]
    assert rows["asynchronous"][2] == "326" and rows["asynchronous"][-1] == "other"
    assert rows["replicated_wrong"][-1] == "differ!"
    flat = re.sub(r"\s+", " ", text)
    assert "asynchronous, parameter_server, drawing, compressed: 220 kB on /cpu:0; 10 sums on /cpu:0" in flat
    assert "numbers 4 towers: of 6 strategies, 1 computes the same as parameter_server, 1 computes the same as" in flat
    assert rows["balanced"][-1] == "same, rounding"
    assert "replicated_wrong: the gradient of 'layer_3/w' differs by 0.75" in flat
    assert max(len(line) for line in text.splitlines()) <= 120


def test_changed_numbers_are_reported():
    old, new = documents.strategies(), documents.strategies()
    new = new._replace(proofs=[
        item._replace(agrees=False, sentence="the gradient of 'w' differs") if item.candidate == "balanced" else item
        for item in new.proofs
    ])
    text = re.sub(r"\s+", " ", format_changes(old, new))
    assert (
        "changed numbers: balanced, 4 towers: the same numbers, rounding before, wrong numbers now: the gradient of "
        "'w' differs"
    ) in text
    assert "changed numbers" not in format_changes(old, old)


def test_a_changed_subject_is_reported():
    text = format_changes(documents.document(), documents.strategies())
    assert "comparison, subject: inputs before, variables now" in text
