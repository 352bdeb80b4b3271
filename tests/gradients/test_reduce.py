"""The errors of `reduce_gradients` and `average_gradients`."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, DeviceError, TowerError

CPUS = ["/cpu:0", "/cpu:1"]


def variable(name):
    return tf.get_variable(name, [2], use_resource=True)


def pair(name="w"):
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        return tf.ones([2]), variable(name)


def swapped():
    gradient, of = pair()
    return [[(of, gradient)]] * 2


def longer():
    return [[pair("a"), pair("b")], [pair("a")]]


def twice():
    return [[pair("a"), pair("b")], [pair("a"), pair("a")]]


GRADIENTS = {
    "numbers": (lambda: [1, 2], ArgumentError, "the gradients of tower 0 must be a list of .gradient, variable. pairs"),
    "nothing": (lambda: None, ArgumentError, "the towers' gradients are of type NoneType: pass a list with one"),
    "number": (lambda: 3, ArgumentError, "the towers' gradients are of type int: pass a list"),
    "tensor": (lambda: tf.ones([2, 2]), ArgumentError, "the towers' gradients are of type .*Tensor: pass a list"),
    "tensors": (lambda: [tf.ones([2])] * 2, ArgumentError, "the gradients of tower 0 must be a list"),
    "text": (lambda: "ab", ArgumentError, "the gradients of tower 0 must be a list"),
    "one tower's": (lambda: [pair(), pair("b")], ArgumentError, "the gradients of tower 0 must be a list"),
    "no pair": (lambda: [[pair()], [pair() + (1,)]], ArgumentError, "the gradients of tower 1 must be a list"),
    "no variable": (
        lambda: [[pair()], [(tf.ones([2]), 2)]],
        ArgumentError,
        "pair 0 of tower 1 has 2 in place of a variable: pass .gradient, variable. pairs, as optimizer.compute_grad",
    ),
    "name": (lambda: [[(tf.ones([2]), "w")]] * 2, ArgumentError, "pair 0 of tower 0 has 'w' in place of a variable"),
    "swapped": (swapped, ArgumentError, "pair 0 of tower 0 has the variable 'w:0' in place of its gradient"),
    "no tower": (lambda: [], ArgumentError, "the list of towers' gradients is empty: pass one list of"),
    "lengths": (longer, TowerError, "tower 1 has none for 'b', tower 0 does. Share the variables by tf.variable_scope"),
    "other": (
        lambda: [[pair("a")], [pair("b")]],
        TowerError,
        "for different variables: tower 1 has gradients for 'b', tower 0 does not; tower 1 has none for 'a'",
    ),
    "twice": (twice, TowerError, "tower 1 has more than one gradient for 'a': sum them first"),
}


@pytest.mark.parametrize("case", sorted(GRADIENTS))
def test_invalid_gradients(case):
    make, error, message = GRADIENTS[case]
    with pytest.raises(error, match=message):
        lt.reduce_gradients(make(), lt.gradients.mean(), CPUS)
    with pytest.raises(error, match=message):
        lt.average_gradients(make())


DEVICES = {
    "misspelled": (["cpu0", "/cpu:1"], DeviceError, "'cpu0' is not a device string .*: write it like /gpu:0 or"),
    "text": ("/cpu:0", ArgumentError, "devices is '/cpu:0': give a list of device strings, such as lt.devices.cpus.4."),
    "number": (2, ArgumentError, "devices is 2: give a list of device strings"),
    "numbers": ([0, 1], DeviceError, "0 is not a device string"),
}


@pytest.mark.parametrize("case", sorted(DEVICES))
def test_invalid_devices(case):
    devices, error, message = DEVICES[case]
    with pytest.raises(error, match=message):
        lt.reduce_gradients([[pair()]] * 2, lt.gradients.mean(), devices)
    with pytest.raises(error, match=message):
        lt.average_gradients([[pair()]] * 2, devices=devices)


@pytest.mark.parametrize("devices", [[], None], ids=["empty", "None"])
def test_each_tower_needs_a_device(devices):
    with pytest.raises(ArgumentError, match="devices is .*: give a list of device strings"):
        lt.reduce_gradients([[pair()]] * 2, lt.gradients.mean(), devices)


def test_there_must_be_one_device_per_tower():
    message = "tower_grads has 2 lists of gradients and devices has 1 entries: pass one of each per tower"
    with pytest.raises(ArgumentError, match=message):
        lt.reduce_gradients([[pair()]] * 2, lt.gradients.mean(), CPUS[:1])


WEIGHTS = {
    "texts": (["a", "b"], "weights is .'a', 'b'.: pass a number or a scalar tensor per tower"),
    "text": ("ab", "weights is 'ab': pass a list with a number or a scalar tensor per tower"),
    "too few": ([1], "1 weights for 2 towers: pass one per tower"),
    "too many": ([1, 1, 1], "3 weights for 2 towers: pass one per tower"),
    "none at all": ([], "0 weights for 2 towers"),
    "negative": ([2, -1], "weights is .2, -1.: each must be finite and at least 0, and their sum more than 0"),
    "all zero": ([0, 0.0], "their sum more than 0"),
    "infinite": ([1, float("inf")], "each must be finite and at least 0"),
    "not a number": ([1, float("nan")], "each must be finite and at least 0"),
    "None among them": ([1, None], "weights is .1, None.: pass a number or a scalar tensor per tower"),
    "number": (2.0, "weights is 2.0: pass a list"),
    "one tensor": (lambda: tf.ones([2]), "weights is .*: pass a list"),
    "a vector": (lambda: [1, tf.ones([2])], "pass a number or a scalar tensor per tower"),
    "text in a tensor": (lambda: [1, tf.constant("a")], "pass a number or a scalar tensor per tower"),
    "negative beside a tensor": (lambda: [tf.constant(1), -1], "each must be finite and at least 0"),
}


@pytest.mark.parametrize("case", sorted(WEIGHTS))
def test_invalid_weights(case):
    weights, message = WEIGHTS[case]
    given = weights() if callable(weights) else weights
    with pytest.raises(ArgumentError, match=message):
        lt.reduce_gradients([[pair()]] * 2, lt.gradients.mean(), CPUS, given)
    with pytest.raises(ArgumentError, match=message):
        lt.average_gradients([[pair()]] * 2, given)


@pytest.mark.parametrize(
    "make",
    [lambda: np.array([3, 1]), lambda: (np.float32(3), np.int64(1)), lambda: iter([3, 1]),
     lambda: [3, tf.constant(1, tf.int64)], lambda: [tf.placeholder_with_default(3, None), 1]],
    ids=["array", "numpy numbers", "iterator", "number and tensor", "unknown rank"],
)
def test_weights_of_every_kind_are_accepted(make):
    w = variable("w")
    ((gradient, _),) = lt.average_gradients([[(tf.fill([2], 8.0), w)], [(tf.fill([2], 4.0), w)]], make())
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(gradient), [7.0, 7.0], rtol=1e-6)


REDUCTIONS = {
    "unknown name": ("nothing", "there is no reduction 'nothing'"),
    "None": (None, "a reduction is needed, got None: pass lt.gradients.mean"),
    "class": (lt.gradients.Reduction, "a reduction is needed, got <class .*: pass lt.gradients.mean"),
    "not called": (
        lt.gradients.tree,
        "lt.gradients.tree is a function that returns a reduction: write lt.gradients.tree..",
    ),
    "list": (
        [lt.gradients.mean()],
        "a reduction is needed, got \\[.*: pass lt.gradients.mean.*, or lt.gradients.chain.* of several",
    ),
    "dtype": (tf.float16, "a reduction is needed, got tf.float16: pass lt.gradients.mean"),
    "loss scale": (
        lt.gradients.chain(lt.gradients.loss_scale(8.0), lt.gradients.mean()),
        "scales the loss, but these gradients are computed already: pass it to lt.build_train_step or "
        "lt.DistributedOptimizer as reduction=",
    ),
    "scale": (lt.gradients.scale(2.0), "does not reduce the gradients of 2 towers to one: add a member that does"),
}


@pytest.mark.parametrize("case", sorted(REDUCTIONS))
def test_invalid_reductions(case):
    reduction, message = REDUCTIONS[case]
    with pytest.raises(ArgumentError, match=message):
        lt.reduce_gradients([[pair()]] * 2, reduction, CPUS)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"global_step": 5}, "global_step is 5: pass the variable that tf.train.get_or_create_global_step.. returns"),
        ({"global_step": "step"}, "global_step is 'step': pass the variable"),
        ({"scope": 3}, "scope is 3: pass a name of letters, digits,"),
        ({"scope": ""}, "scope is '': pass a name"),
        ({"scope": "two words"}, "scope is 'two words': pass a name"),
        ({"scope": "mine/"}, "scope is 'mine/': pass a name"),
    ],
    ids=["number as step", "text as step", "number as scope", "empty scope", "scope with a space", "closing slash"],
)
def test_invalid_options(options, message):
    with pytest.raises(ArgumentError, match=message):
        lt.reduce_gradients([[pair()]] * 2, lt.gradients.mean(), CPUS, **options)


@pytest.mark.parametrize("scope", ["a", "A.b-c_d/e", "0"])
def test_valid_scopes(scope):
    lt.reduce_gradients([[pair()]] * 2, lt.gradients.mean(), CPUS, scope=scope)
    assert any(op.name.startswith(scope + "/") for op in tf.get_default_graph().get_operations())


def test_the_error_for_a_missing_gradient_recommends_missing():
    tower_grads = [[pair()], [(None, pair()[1])]]
    message = "put lt.gradients.missing..zeros.. before the reduction, as in lt.gradients.chain"
    with pytest.raises(TowerError, match=message):
        lt.reduce_gradients(tower_grads, lt.gradients.mean(), CPUS)
    settled = lt.gradients.chain(lt.gradients.missing("zeros"), lt.gradients.mean())
    reduced = lt.reduce_gradients(tower_grads, settled, CPUS)
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        assert session.run(reduced.rows[0].gradients[0]).tolist() == [0.5, 0.5]
