"""Hooks of the user: a list, or a function of the step."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.training.user_hooks import check_hooks, hooks_for


class Hook(tf.train.SessionRunHook):
    pass


HOOK = Hook()
EXPECTED = "a list of tf.train.SessionRunHook, or a function that takes the step and returns one"


def returns_a_hook(step):
    return HOOK


@pytest.mark.parametrize(
    "hooks", [[HOOK], (HOOK,), lambda step: [HOOK], lambda step: (step,)],
    ids=["a list", "a tuple", "a function with a list", "a function with a tuple"],
)
def test_hooks_become_a_list(hooks):
    assert hooks_for(hooks, HOOK) == [HOOK]


@pytest.mark.parametrize("hooks, message", [
    (HOOK, "hooks must be " + EXPECTED + ", got <"),
    (Hook, "hooks must be " + EXPECTED + ", got the class Hook"),
    ("progress", "hooks must be " + EXPECTED + ", got 'progress'"),
    ([HOOK, Hook], "hooks has the class Hook: create a hook of it, Hook(...)"),
    ([print], "hooks has <built-in function print>, which is not a tf.train.SessionRunHook: hooks must be " + EXPECTED),
])
def test_other_values_are_refused_before_there_is_a_step(hooks, message):
    with pytest.raises(ArgumentError) as caught:
        check_hooks(hooks)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("hooks, message", [
    (returns_a_hook, "the function for hooks, returns_a_hook, must return a list of tf.train.SessionRunHook, not <"),
    (lambda step: [1], "hooks has 1, which is not a tf.train.SessionRunHook: "),
])
def test_what_a_function_returns_is_checked(hooks, message):
    with pytest.raises(ArgumentError) as caught:
        hooks_for(hooks, None)
    assert str(caught.value).startswith(message)
