"""Positional arguments of functions and of classes of Keras have the meaning that TensorFlow 1.15 gives them.

The independent source is the recorded table of signatures of 1.15: calls with a value of its own for each argument are
compared with it, argument by argument, and no function beyond those of `LEFT` has another order.
"""
import functools
import inspect

import pytest

from legacy_towers import compat
from legacy_towers.compat.patches import keras_classes
from legacy_towers.compat.tf1 import known_names, tree
from legacy_towers.compat.tf1.core import orders
from legacy_towers.compat.tf1.core.replaced_functions import ARGUMENTS
from legacy_towers.compat.tf1.keras import orders as keras_orders
from legacy_towers.compat.tf1.keras.builders import REORDERED
from legacy_towers.compat.versions import tf

IS_1_15 = tree.is_1_15()
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.skipif(IS_1_15, reason="1.15 has these orders itself")]
_LOSS = "1.15 rejects arguments by position; pre_1_0/reordered.py accepts those of 0.12"
# Name below tf -> why another order remains.
LEFT = {
    "autograph.experimental.set_loop_options": "AutoGraph compares it with the function of TensorFlow",
    "data.experimental.SparseTensorStructure": "the second argument is the shape by both of its names",
    "keras.utils.GeneratorEnqueuer": "1.4 to 1.12 had `wait_time` where 1.15 has `random_seed`",
    "keras.regularizers.l1": "the argument is accepted by both names",
    "keras.regularizers.l2": "the argument is accepted by both names",
    "nn.sigmoid_cross_entropy_with_logits": _LOSS,
    "nn.softmax_cross_entropy_with_logits": _LOSS,
    "nn.sparse_softmax_cross_entropy_with_logits": _LOSS,
}


def arguments_of_1_15(name):
    given = [each.split("=")[0] for each in known_names.arguments("tensorflow." + name)]
    return [each for each in given if not each.startswith("*")]


def recorder(like, calls):
    """Returns a function with the signature of `like` that appends name -> value to `calls`."""
    signature = inspect.signature(like)

    @functools.wraps(like)
    def record(*arguments, **options):
        found = dict(signature.bind(*arguments, **options).arguments)
        found.pop("self", None)
        for each in signature.parameters.values():
            if each.kind == each.VAR_KEYWORD:
                found.update(found.pop(each.name, {}))
        calls.append(found)

    return record


@pytest.mark.needs_layers
@pytest.mark.parametrize("name", ARGUMENTS)
def test_functions_take_positional_arguments_in_the_order_of_1_15(name):
    calls = []
    function = orders.in_order(recorder(orders.function_of(name), calls), name)
    old = arguments_of_1_15(name)
    values = ["value of " + each for each in old]
    function(*values)
    function(*values[:1], **dict(zip(old[1:], values[1:])))
    renamed = ARGUMENTS.get(name, {})
    assert calls == [{renamed.get(each, each): value for each, value in zip(old, values)}] * 2
    with pytest.raises(TypeError, match="positional arguments but {} were".format(len(old) + 1)):
        function(*values, "one more")
    with pytest.raises(TypeError, match="argument '{}'".format(renamed.get(old[-1], old[-1]))):
        function(*values, **{old[-1]: "again"})


@pytest.mark.parametrize("name", [each for each in ARGUMENTS if not each.startswith("keras.")])
def test_compat_tf_has_functions_in_the_order_of_1_15(name):
    own = orders.function_of(name)
    above, _, last = name.rpartition(".")
    module = functools.reduce(getattr, above.split(".") if above else (), compat.tf)
    assert getattr(module, last).__wrapped__ is own and orders.function_of(name) is own
    assert vars(module)[last] is getattr(module, last)  # made once


def test_arguments_by_position_have_the_meaning_of_1_15():
    x = compat.tf.ones([2, 2])
    product = compat.tf.matmul(x, x, False, False, False, False, False, False, "product")
    best = [module.top_k(x, 1, True, "best")[0] for module in (compat.tf.math, compat.tf.nn)]
    assert [each.op.name for each in [product] + best] == ["product", "best", "best_1"]
    assert compat.tf.linalg.inv is tf.linalg.inv and "top_k" in dir(compat.tf.math)


@pytest.mark.needs_layers
@pytest.mark.parametrize("name", REORDERED)
def test_classes_of_keras_take_positional_arguments_in_the_order_of_1_15(name):
    calls = []
    cls = functools.reduce(getattr, name.split("."), tf.keras)
    old = arguments_of_1_15("keras." + name)
    values = ["value of " + each for each in old]
    changes = {cls: keras_orders.of_classes()[cls]}
    with keras_classes.changed(cls, "__init__", recorder(cls.__init__, calls)), keras_classes.arguments_are(changes):
        cls(*values)
    assert calls == [dict(zip(old, values))]


@pytest.mark.needs_layers
def test_models_are_saved_without_their_optimizer_by_position():
    calls = []
    model = keras_classes.model_classes()[1]
    with keras_classes.changed(model, "save", recorder(vars(model)["save"], calls)):
        with keras_classes.method_arguments_are("save", keras_orders.of_methods()["save"]):
            model.save(None, "model.h5", True, False, "h5")
    assert calls == [{"filepath": "model.h5", "overwrite": True, "include_optimizer": False, "save_format": "h5"}]


def moved(name, function):
    """Returns whether a positional argument of 1.15 is in another place now, or is by name only."""
    old, parameters = arguments_of_1_15(name), inspect.signature(function).parameters.values()
    names, kinds = [each.name for each in parameters], [each.kind for each in parameters]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return False
    new = orders.by_position(function)
    by_name = set(old) if inspect.Parameter.VAR_KEYWORD in kinds else set(names)
    for index, each in enumerate(old):
        if index >= len(new):
            return each in by_name
        if new[index] != each:
            return each in by_name or new[index] in old
    return False


@pytest.mark.needs_layers
def test_no_other_function_has_another_order_than_in_1_15():
    view, found = tree.module("tensorflow"), []
    classes = set(keras_orders.of_classes())
    for name in known_names.OF_1_15.signatures():
        name = name[len("tensorflow.") :]
        if name.startswith("tpu."):  # TPUs are not supported
            continue
        try:
            value = functools.reduce(getattr, name.split("."), view)
        except (AttributeError, ImportError):  # in the table of names
            continue
        if inspect.isfunction(value) and name not in ARGUMENTS and moved(name, value):
            found.append(name)
        if isinstance(value, type) and inspect.isfunction(value.__init__) and not classes & set(value.__mro__[:2]):
            if moved(name, functools.partial(value.__init__, None)):
                found.append(name)
    assert set(found) == set(LEFT)
