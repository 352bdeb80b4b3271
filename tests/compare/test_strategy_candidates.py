"""Which strategies and reductions are compared, and what is said of those that can't be."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compare.find import find_candidates
from legacy_towers.compare.settings import CompareSettings, check_settings
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.named import REDUCTIONS
from legacy_towers.variables.named import STRATEGIES


def job(**changes):
    def model_fn(batch, mode):
        return lt.TowerOutput(loss=tf.reduce_mean(batch["x"] * tf.get_variable("w", [3])))

    examples = lt.Examples.from_arrays({"x": np.ones((64, 3), np.float32)})
    return lt.Job(model_fn, examples, lambda step: tf.train.GradientDescentOptimizer(0.1))._replace(**changes)


def find(changes=None, **settings):
    return find_candidates(job(**(changes or {})), CompareSettings(**dict({"towers": (1, 2)}, **settings)))


def test_strategies_are_compared_with_what_the_job_has():
    found = find(variables=["replicated", "round_robin:/cpu:0,/cpu:1"])
    assert found.subject == "variables" and found.current == "parameter_server"
    assert [tuple(each) for each in found.all] == [
        ("parameter_server", "synthetic", None, None),
        ("replicated", "synthetic", "replicated", None),
        ("round_robin:/cpu:0,/cpu:1", "synthetic", "round_robin:/cpu:0,/cpu:1", None),
    ]
    assert found.shared == {"input": "synthetic", "reduction": "mean"}
    assert found.words["replicated"] == ("replicated", "mean")
    assert found.notes[0].startswith("every candidate computes on synthetic batches: the question is the gradients")
    assert found.notes[1:] == ["parameter_server is compared too: it is what the job has"]


def test_reductions_are_compared_with_what_the_job_has():
    found = find({"reduction": "tree", "variables": lt.variables.RoundRobin(["/cpu:0", "/cpu:1"])}, reductions=["mean"])
    assert found.subject == "reductions" and found.current == "tree" and found.names() == ["tree", "mean"]
    assert found.shared == {"input": "synthetic", "variables": "round_robin"}
    own = lt.gradients.chain(lt.gradients.mean(), lt.gradients.clip_by_norm(1.0))
    assert find({"reduction": own}, reductions=["mean"]).names() == [repr(own), "mean"]


def test_pairs_are_all_but_those_without_a_sum():
    found = find({"update_ops": "mean"}, variables=["parameter_server", "asynchronous"], reductions=["mean", "tree"])
    assert found.subject == "variables and reductions" and found.current == "parameter_server with mean"
    assert found.names() == ["parameter_server with mean", "parameter_server with tree", "asynchronous"]
    assert found.left_out == [
        ("asynchronous with {}".format(name), "each tower applies its own gradients, so there is no sum to lay out")
        for name in ("mean", "tree")
    ]
    assert found.current_one().variables == "parameter_server" and found.shared == {"input": "synthetic"}
    assert found.notes[1:] == [
        "with asynchronous batch-norm statistics are kept by update_ops='own': the job's 'mean' can't be had with it"
    ]


def test_all_are_those_that_can_be_had_here():
    found = find(variables=["all"])
    assert [name for name in STRATEGIES if name not in found.names()] == [name for name, _ in found.left_out]
    assert {"parameter_server", "balanced", "replicated", "asynchronous"} <= set(found.names())
    found = find(reductions=["all"], towers=(2,))
    assert sorted(found.names() + [name for name, _ in found.left_out]) == sorted(REDUCTIONS)
    assert {"mean", "tree"} <= set(found.names())


@pytest.mark.parametrize(
    "settings, name",
    [({"current": "replicated"}, "replicated"), ({}, "parameter_server")],
    ids=["as asked", "the job's"],
)
def test_the_others_are_held_against_one(settings, name):
    found = find(variables=["replicated", "balanced"], **settings)
    assert found.current == name and found.current_one().name == name
    assert found.names() == ([] if settings else ["parameter_server"]) + ["replicated", "balanced"]


@pytest.mark.parametrize(
    "changes, settings, sentence",
    [
        ({}, {"variables": ["balanced", "nowhere"]}, "--variables: there is no strategy 'nowhere': there are "),
        ({}, {"reductions": ["nothing"]}, "--reductions: there is no reduction 'nothing'"),
        ({}, {"variables": ["balanced", "balanced"]}, "--variables names balanced twice"),
        ({}, {"variables": []}, "--variables names nothing"),
        ({}, {"variables": ["balanced"], "current": "tree"},
         "--current is 'tree', which is not compared: name one of 'balanced'"),
        ({"variables": "asynchronous"}, {"reductions": ["mean", "tree"]},
         "--reductions: the job's variables are asynchronous: each tower applies its own gradients"),
        ({}, {"variables": ["balanced"], "input": "pigeon"}, "--input is 'pigeon': allowed are 'synthetic', "),
        ({}, {"variables": ["balanced"], "inputs": ["feed"]}, "--inputs with --variables or --reductions asks two"),
        ({}, {"input": "feed"}, "--input feed is the way in for all candidates where --variables or --reductions"),
    ],
    ids=["strategy", "reduction", "twice", "empty", "current", "no sum", "way in", "two questions", "no question"],
)
def test_what_can_not_be_is_an_error(changes, settings, sentence):
    wanted = CompareSettings(**dict({"towers": (1, 2)}, **settings))
    with pytest.raises(ArgumentError) as caught:
        check_settings(wanted, job(**changes))
        find_candidates(job(**changes), wanted)
    assert sentence in str(caught.value)


def test_the_input_is_held_fixed():
    found = find(variables=["balanced"], input="dataset")
    assert {each.input for each in found.all} == {"dataset:next_per_tower"}
    assert found.notes[0] == "every candidate takes its batches by dataset:next_per_tower"


def test_what_the_job_has_can_be_named_as_the_current_one():
    found = find_candidates(job(), CompareSettings(variables=["replicated"], current="parameter_server", towers=[2]))
    assert found.current == "parameter_server" and set(found.names()) == {"parameter_server", "replicated"}


def in_parts(**reductions):
    """A job whose two parts may have reductions of their own."""

    def model_fn(batch, mode):
        losses = {name: tf.reduce_mean(batch["x"] * tf.get_variable(name + "/w", [3])) for name in "ab"}
        return lt.TowerOutput(loss=losses)

    def optimizer(global_step):
        return [lt.Part(name, tf.train.AdamOptimizer(0.1), name, reduction=reductions.get(name)) for name in "ab"]

    return {"model_fn": model_fn, "optimizer": optimizer}


def test_a_part_that_keeps_its_own_reduction_is_told_in_the_row():
    found = find(in_parts(b=lt.gradients.sum()), reductions=["tree"])
    assert found.words == {name: ("parameter_server", name + ", but b: sum()") for name in ("mean", "tree")}
    assert "the part 'b' keeps its own reduction, sum(), whatever is chosen for the job" in found.notes
    found = find(in_parts(b=lt.gradients.sum()), variables=["balanced"])
    assert found.words["balanced"] == ("balanced", "mean, but b: sum()")


def test_where_every_part_has_its_own_reduction_there_is_nothing_to_compare():
    changes = in_parts(a=lt.gradients.mean(), b=lt.gradients.sum())
    for settings in ({"reductions": ["tree"]}, {"reductions": ["tree"], "variables": ["balanced"]}):
        with pytest.raises(ArgumentError, match="--reductions: every part of the job has a reduction of its own"):
            find(changes, **settings)
    assert find(changes, variables=["balanced"]).names() == ["parameter_server", "balanced"]
