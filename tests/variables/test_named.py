"""Strategies made from specs, and the errors for invalid specs."""
import pytest

from legacy_towers import variables
from legacy_towers.errors import ArgumentError
from legacy_towers.specs.strategies import GRAMMAR, STRATEGIES, check_strategy
from legacy_towers.variables.named import MAKERS, as_strategy, make_strategy

TOWERS = ["/gpu:0", "/gpu:0", "/gpu:1"]
ON_TOWERS = "['/gpu:0', '/gpu:1']"

NAMES = [
    ("parameter_server", "ParameterServer('/cpu:0')"),
    ("parameter_server:/job:ps/task:1/cpu:0", "ParameterServer('/job:ps/task:1/cpu:0')"),
    ("round_robin", "RoundRobin({})".format(ON_TOWERS)),
    ("round_robin:/cpu:0,/cpu:1", "RoundRobin(['/cpu:0', '/cpu:1'])"),
    ("balanced", "Balanced({})".format(ON_TOWERS)),
    ("balanced:/cpu:3", "Balanced(['/cpu:3'])"),
    ("partitioned", "Partitioned(Balanced({}), max_part_bytes=67108864)".format(ON_TOWERS)),
    ("partitioned:2KiB", "Partitioned(Balanced({}), max_part_bytes=2048)".format(ON_TOWERS)),
    ("partitioned:1000", "Partitioned(Balanced({}), max_part_bytes=1000)".format(ON_TOWERS)),
    ("partitioned:7+parameter_server:/cpu:1", "Partitioned(ParameterServer('/cpu:1'), max_part_bytes=7)"),
    ("partitioned+round_robin", "Partitioned(RoundRobin({}), max_part_bytes=67108864)".format(ON_TOWERS)),
    ("replicated", "Replicated()"),
    ("replicated:50", "Replicated(check_every=50)"),
    ("local_sgd:8", "LocalSGD(sync_every=8)"),
    ("asynchronous", "Asynchronous(ParameterServer('/cpu:0'))"),
    ("asynchronous+balanced", "Asynchronous(Balanced({}))".format(ON_TOWERS)),
    (
        "asynchronous+partitioned:9+round_robin:/cpu:0",
        "Asynchronous(Partitioned(RoundRobin(['/cpu:0']), max_part_bytes=9))",
    ),
]


@pytest.mark.parametrize("name, expected", NAMES, ids=[name for name, _ in NAMES])
def test_make_strategy(name, expected):
    assert repr(make_strategy(name, TOWERS)) == expected
    check_strategy(name, "--variables")


def test_the_default_strategies_of_a_comparison_differ():
    made = [repr(make_strategy(name, ["/cpu:0", "/cpu:1"])) for name in STRATEGIES]
    assert len(set(made)) == len(STRATEGIES)


def test_each_name_of_the_specs_has_a_maker():
    assert list(MAKERS) == list(GRAMMAR.terms)


# (text, a pattern of the error message)
WRONG = [
    ("", "the strategy '' is empty: the names are 'parameter_server', "),
    ("balance", "there is no strategy 'balance', did you mean 'balanced'\\? The names are "),
    ("asynchronous+nothing", "there is no strategy 'nothing' \\(in 'asynchronous\\+nothing'\\): the names are "),
    ("balanced+", "the strategy 'balanced\\+' ends in \"\\+\": the names are 'parameter_server'"),
    ("balanced:", "the strategy 'balanced:': after \":\", 'balanced' takes devices separated by commas"),
    ("asynchronous:3", "the strategy 'asynchronous:3': 'asynchronous' takes no \":\""),
    ("balanced+round_robin", "'round_robin' can't follow 'balanced', which wraps nothing$"),
    ("balanced+asynchronous", "which wraps nothing; a wrapper comes first: 'asynchronous.balanced'"),
    ("partitioned:many", "the strategy 'partitioned:many': after \":\", 'partitioned' takes the size"),
    ("local_sgd", "the strategy 'local_sgd': after \":\", 'local_sgd' takes the number of steps"),
    ("local_sgd:often", "the strategy 'local_sgd:often': after \":\", 'local_sgd' takes the number of steps"),
    ("replicated:1.5", "the strategy 'replicated:1.5': after \":\", 'replicated' takes the number of runs"),
    ("asynchronous+balanced:", "'balanced:' \\(in 'asynchronous.balanced:'\\): after \":\", 'balanced' takes devices"),
    ("local_sgd:0", "'local_sgd' takes the number of steps"),
    ("replicated+balanced", "'balanced' can't follow 'replicated', which wraps nothing"),
    ("asynchronous+replicated", "'replicated' can't follow 'asynchronous', which wraps 'parameter_server', "),
    ("partitioned:0", "'partitioned' takes the size of the largest part"),
    ("partitioned+asynchronous", "a wrapper comes first: 'asynchronous.partitioned'"),
    ("partitioned+partitioned", "'partitioned' can't follow 'partitioned', which wraps 'parameter_server', '"),
    ("parameter_server:/moon", "'parameter_server' takes a device, such as /cpu:0$"),
    ("parameter_server:/cpu:0,/cpu:1", "'parameter_server' takes a device"),
    ("round_robin:/cpu:0,/cpu:x", "'round_robin' takes devices separated by commas"),
]


@pytest.mark.parametrize("name, message", WRONG, ids=[name or "nothing" for name, _ in WRONG])
def test_check_strategy_rejects_invalid_specs(name, message):
    with pytest.raises(ArgumentError, match=message):
        make_strategy(name, TOWERS)
    with pytest.raises(ArgumentError, match="^--variables: .*" + message):
        check_strategy(name, "--variables")


def test_as_strategy_accepts_strategies_names_and_none():
    strategy = variables.Balanced(["/cpu:0"])
    assert as_strategy(strategy, TOWERS) is strategy
    assert repr(as_strategy("balanced", TOWERS)) == "Balanced({})".format(ON_TOWERS)
    assert repr(as_strategy(None, TOWERS)) == "ParameterServer('/cpu:0')"


NO_STRATEGY = [
    ("replicate", "variables: there is no strategy 'replicate', did you mean 'replicated'? The names are "),
    ("/gpu:0", "variables is '/gpu:0', a device: pass lt.variables.ParameterServer('/gpu:0') to keep all variables"),
    ("cpu:0", "variables is 'cpu:0', a device: pass lt.variables.ParameterServer('cpu:0')"),
    (3, "variables must be a strategy or its name, got 3: pass lt.variables.Replicated() or 'replicated', for example"),
    (variables.Replicated, "variables must be a strategy or its name, got <class "),
]


@pytest.mark.parametrize("value, message", NO_STRATEGY, ids=["unknown name", "device", "short device", "int", "class"])
def test_as_strategy_rejects_other_values(value, message):
    with pytest.raises(ArgumentError) as error:
        as_strategy(value, TOWERS)
    assert str(error.value).startswith(message)
