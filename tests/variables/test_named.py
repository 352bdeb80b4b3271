"""Strategies by their names: what each name makes, and what is said of a name that makes none."""
import pytest

from legacy_towers.errors import ArgumentError, DeviceError
from legacy_towers.variables.named import STRATEGIES, check_strategy_name, make_strategy

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
    ("independent:8", "Independent(sync_every=8)"),
    ("asynchronous", "Asynchronous(ParameterServer('/cpu:0'))"),
    ("asynchronous+balanced", "Asynchronous(Balanced({}))".format(ON_TOWERS)),
    (
        "asynchronous+partitioned:9+round_robin:/cpu:0",
        "Asynchronous(Partitioned(RoundRobin(['/cpu:0']), max_part_bytes=9))",
    ),
]


@pytest.mark.parametrize("name, expected", NAMES, ids=[name for name, _ in NAMES])
def test_what_a_name_makes(name, expected):
    assert repr(make_strategy(name, TOWERS)) == expected
    check_strategy_name(name, "--variables")


def test_those_that_a_comparison_tries_can_be_made_and_differ():
    made = [repr(make_strategy(name, ["/cpu:0", "/cpu:1"])) for name in STRATEGIES]
    assert len(set(made)) == len(STRATEGIES)


WRONG = [
    ("", "the strategy '' has no word at all: there are 'parameter_server', "),
    ("balance", "there is no strategy 'balance': there are "),
    ("asynchronous+nothing", "there is no strategy 'nothing' \\(in 'asynchronous\\+nothing'\\): there are "),
    ("balanced+", "the strategy 'balanced\\+' has no word on one side of a \"\\+\": there are 'parameter_server', "),
    ("balanced:", "the strategy 'balanced:': 'balanced' takes devices with commas between them behind a \":\""),
    ("asynchronous:3", "the strategy 'asynchronous:3': 'asynchronous' takes nothing behind it"),
    ("balanced+round_robin", "has words behind 'balanced', which goes around no other strategy"),
    ("partitioned:many", "the strategy 'partitioned:many': 'partitioned' takes the size of the largest part"),
    ("independent", "the strategy 'independent': 'independent' takes the number of steps between two meetings"),
    ("independent:often", "the strategy 'independent:often': 'independent' takes the number of steps"),
    ("replicated:1.5", "the strategy 'replicated:1.5': 'replicated' takes the number of runs"),
    ("asynchronous+balanced:", "the strategy 'asynchronous.balanced:' has 'balanced:': 'balanced' takes devices"),
    ("independent:0", "at least 1"),
    ("replicated+balanced", "has words behind 'replicated', which goes around no other strategy"),
    ("asynchronous+replicated", "give a strategy that says where shared variables live"),
    ("partitioned:0", "max_part_bytes is 0"),
    ("partitioned+asynchronous", "give a strategy that only places variables"),
    ("partitioned+partitioned", "give a strategy that only places variables"),
    ("parameter_server:/moon", "'/moon' is no device string"),
    ("round_robin:/cpu:0,/cpu:x", "'/cpu:x' is no device string"),
]


@pytest.mark.parametrize("name, message", WRONG, ids=[name or "nothing" for name, _ in WRONG])
def test_a_name_that_makes_none(name, message):
    with pytest.raises((ArgumentError, DeviceError), match=message):
        make_strategy(name, TOWERS)
    with pytest.raises(ArgumentError, match="^--variables: .*" + message):
        check_strategy_name(name, "--variables")
