"""The strategies and reductions to compare, and the errors and notes about the others."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compare.settings import CompareSettings, check_settings
from legacy_towers.compare.strategy_candidates import find_candidates
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.specs.reductions import REDUCTIONS
from legacy_towers.specs.strategies import STRATEGIES


def job(**changes):
    def model_fn(batch, mode):
        return lt.TowerOutput(loss=tf.reduce_mean(batch["x"] * tf.get_variable("w", [3])))

    examples = lt.Examples.from_arrays({"x": np.ones((64, 3), np.float32)})
    return lt.Job(model_fn, examples, lambda step: tf.train.GradientDescentOptimizer(0.1)).replace(**changes)


def find(changes=None, **settings):
    return find_candidates(job(**(changes or {})), CompareSettings(**dict({"towers": (1, 2)}, **settings)))


def test_strategies_are_compared_with_the_jobs_own():
    found = find(variables=["replicated", "round_robin:/cpu:0,/cpu:1"])
    assert found.subject == "variables" and found.current == "parameter_server"
    assert [(each.name, each.input, each.variables, each.reduction) for each in found.all] == [
        ("parameter_server", "synthetic", None, None),
        ("replicated", "synthetic", "replicated", None),
        ("round_robin:/cpu:0,/cpu:1", "synthetic", "round_robin:/cpu:0,/cpu:1", None),
    ]
    assert found.shared == {"input": "synthetic", "reduction": "mean"}
    assert found.choices["replicated"] == ("replicated", "mean")
    assert found.notes[0].startswith("all candidates compute on synthetic batches, since waiting for input would hide")
    assert found.notes[1:] == ["parameter_server is compared too, since it is the job's own"]


def test_reductions_are_compared_with_the_jobs_own():
    found = find({"reduction": "tree", "variables": lt.variables.RoundRobin(["/cpu:0", "/cpu:1"])}, reductions=["mean"])
    assert found.subject == "reductions" and found.current == "tree" and found.names() == ["tree", "mean"]
    assert found.shared == {"input": "synthetic", "variables": "round_robin"}
    own = lt.gradients.chain(lt.gradients.mean(), lt.gradients.clip_by_norm(1.0))
    assert find({"reduction": own}, reductions=["mean"]).names() == [repr(own), "mean"]


def test_pairs_leave_out_strategies_without_a_reduction():
    found = find({"update_ops": "mean"}, variables=["parameter_server", "asynchronous"], reductions=["mean", "tree"])
    assert found.subject == "variables and reductions" and found.current == "parameter_server with mean"
    assert found.names() == ["parameter_server with mean", "parameter_server with tree", "asynchronous"]
    assert found.left_out == [
        ("asynchronous with {}".format(name), "each tower applies its own gradients, so there is no gradient reduction")
        for name in ("mean", "tree")
    ]
    assert found.current_one().variables == "parameter_server" and found.shared == {"input": "synthetic"}
    assert found.notes[1:] == [
        "with asynchronous batch-norm statistics are kept by update_ops='own': it does not support the job's 'mean'"
    ]


def test_all_selects_the_supported_candidates():
    found = find(variables=["all"])
    assert [name for name in STRATEGIES if name not in found.names()] == [name for name, _ in found.left_out]
    assert {"parameter_server", "balanced", "replicated", "asynchronous"} <= set(found.names())
    found = find(reductions=["all"], towers=(2,))
    assert sorted(found.names() + [name for name, _ in found.left_out]) == sorted(REDUCTIONS)
    assert {"mean", "tree"} <= set(found.names())


@pytest.mark.parametrize(
    "settings, name",
    [({"current": "replicated"}, "replicated"), ({}, "parameter_server")],
    ids=["given", "the job's"],
)
def test_the_current_candidate(settings, name):
    found = find(variables=["replicated", "balanced"], **settings)
    assert found.current == name and found.current_one().name == name
    assert found.names() == ([] if settings else ["parameter_server"]) + ["replicated", "balanced"]


@pytest.mark.parametrize(
    "changes, settings, sentence",
    [
        ({}, {"variables": ["balanced", "nowhere"]}, "--variables: there is no strategy 'nowhere': the names are "),
        ({}, {"reductions": ["nothing"]}, "--reductions: there is no reduction 'nothing'"),
        ({}, {"variables": ["balanced", "balanced"]}, "--variables names balanced twice"),
        ({}, {"variables": []}, "--variables names nothing"),
        ({}, {"variables": ["balanced"], "current": "tree"},
         "--current is 'tree', which is not compared: name one of 'balanced'"),
        ({"variables": "asynchronous"}, {"reductions": ["mean", "tree"]},
         "--reductions: the job's variables are asynchronous: each tower applies its own gradients"),
        ({}, {"variables": ["balanced"], "input": "pigeon"}, "--input: there is no input pipeline 'pigeon': "),
        ({}, {"variables": ["balanced"], "inputs": ["feed"]}, "--inputs can't be combined with --variables or"),
        ({}, {"input": "feed"}, "--input feed is only for --variables or --reductions"),
    ],
    ids=[
        "strategy", "reduction", "twice", "empty", "current", "no reduction", "input", "inputs and variables",
        "input without variables",
    ],
)
def test_invalid_settings_are_errors(changes, settings, sentence):
    wanted = CompareSettings(**dict({"towers": (1, 2)}, **settings))
    with pytest.raises(ArgumentError) as caught:
        check_settings(wanted)
        find_candidates(job(**changes), wanted)
    assert sentence in str(caught.value)


def test_all_strategies_have_the_same_input():
    found = find(variables=["balanced"], input="dataset")
    assert {each.input for each in found.all} == {"dataset:next_per_tower"}
    assert found.notes[0] == "all candidates read their batches with dataset:next_per_tower"


def test_the_jobs_own_strategy_can_be_named_as_current():
    found = find_candidates(job(), CompareSettings(variables=["replicated"], current="parameter_server", towers=[2]))
    assert found.current == "parameter_server" and set(found.names()) == {"parameter_server", "replicated"}


def two_objectives(**reductions):
    """Returns changes for a job with two objectives, which may have their own reductions."""

    def model_fn(batch, mode):
        losses = {name: tf.reduce_mean(batch["x"] * tf.get_variable(name + "/w", [3])) for name in "ab"}
        return lt.TowerOutput(loss=losses)

    def optimizer(global_step):
        return [lt.Objective(name, tf.train.AdamOptimizer(0.1), name, reduction=reductions.get(name)) for name in "ab"]

    return {"model_fn": model_fn, "optimizer": optimizer}


def test_an_objective_that_keeps_its_own_reduction_is_reported():
    found = find(two_objectives(b=lt.gradients.sum()), reductions=["tree"])
    assert found.choices == {name: ("parameter_server", name + ", but b: sum()") for name in ("mean", "tree")}
    assert "the objective 'b' keeps its own reduction, sum(), whatever is chosen for the job" in found.notes
    found = find(two_objectives(b=lt.gradients.sum()), variables=["balanced"])
    assert found.choices["balanced"] == ("balanced", "mean, but b: sum()")


def test_reductions_can_not_be_compared_if_every_objective_has_its_own():
    changes = two_objectives(a=lt.gradients.mean(), b=lt.gradients.sum())
    for settings in ({"reductions": ["tree"]}, {"reductions": ["tree"], "variables": ["balanced"]}):
        with pytest.raises(ArgumentError, match="--reductions: every objective of the job has its own reduction"):
            find(changes, **settings)
    assert find(changes, variables=["balanced"]).names() == ["parameter_server", "balanced"]
