"""The variables that each objective trains, and the errors for objectives that do not fit together."""
import numpy as np
import pytest
from two_objectives import BOTH, START, build, model_fn, objectives, variable

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError


def sgd():
    return tf.train.GradientDescentOptimizer(0.1)


SHARED = tf.train.AdamOptimizer(0.1)


def of_discriminator(variables="discriminator"):
    return lt.Objective("discriminator", sgd(), variables)


@pytest.mark.parametrize(
    "make, error, message",
    [
        (
            lambda: [
                lt.Objective("generator", sgd(), "generator"),
                lt.Objective("discriminator", sgd(), ["discriminator", "g"]),
            ],
            None,
            None,
        ),
        (
            lambda: [lt.Objective("generator", sgd(), "generator"), of_discriminator(["discriminator", "generator"])],
            TowerError,
            "'generator/w' belongs to the objectives 'generator', 'discriminator'",
        ),
        (
            lambda: [lt.Objective("generator", sgd(), "gen"), of_discriminator()],
            TowerError,
            "the objective 'generator' has no variables.*'gen'",
        ),
        (
            lambda: [lt.Objective("generator", sgd(), "generator")],
            TowerError,
            "the objectives are 'generator', but tower 0 returned",
        ),
        (
            lambda: [lt.Objective("generator", sgd()), of_discriminator()],
            ArgumentError,
            "the objective 'generator' has no variables: name those that it trains",
        ),
        (
            lambda: [lt.Objective("generator", sgd(), "generator", 1), of_discriminator()],
            ArgumentError,
            "only 'generator' of the objectives",
        ),
        (lambda: [lt.Objective("generator", sgd(), "generator", 0), of_discriminator()], ArgumentError, "steps=0"),
        (lambda: [of_discriminator()] * 2, ArgumentError, "each needs a name of its own"),
        (
            lambda: [lt.Objective("generator", tf.train.AdamOptimizer, "generator"), of_discriminator()],
            ArgumentError,
            "the optimizer of objective 'generator' is the class AdamOptimizer",
        ),
        (lambda: [sgd(), sgd()], ArgumentError, "its members must be lt.Objective"),
        (of_discriminator, ArgumentError, "the single objective 'discriminator': give a list"),
        (
            lambda: [lt.Objective("the generator", sgd(), "generator"), of_discriminator()],
            ArgumentError,
            "the objective 'the generator': its name is used in the names of operations",
        ),
        (sgd, TowerError, "tower 0 returned the losses 'generator', 'discriminator': give the optimizer of each"),
        (
            lambda: [lt.Objective("generator", sgd(), 5), of_discriminator()],
            ArgumentError,
            "the objective 'generator' has variables=5: give a variable scope, such as variables='generator'",
        ),
        (
            lambda: [lt.Objective("generator", sgd(), tf.get_variable("lone", [2])), of_discriminator()],
            ArgumentError,
            "'generator' has variables=<tf.Variable 'lone.*: give .* or a list of scopes or variables",
        ),
        (
            lambda: [lt.Objective("generator", sgd(), []), of_discriminator()],
            ArgumentError,
            r"the objective 'generator' has variables=\[\], and would train nothing: name what it trains",
        ),
        (
            lambda: [lt.Objective("generator", sgd(), ""), of_discriminator()],
            ArgumentError,
            "variables='', and would train",
        ),
        (
            lambda: [lt.Objective("generator", sgd(), ["generator", 5]), of_discriminator()],
            ArgumentError,
            "the objective 'generator' has 5 among its variables: give variable scopes, such as 'generator'",
        ),
        (
            lambda: [lt.Objective("generator", sgd(), "generator", True), of_discriminator()],
            ArgumentError,
            "the objective 'generator' has steps=True",
        ),
        (
            lambda: [of_discriminator()._replace(optimizer=SHARED, name=name, variables=name) for name in BOTH],
            ArgumentError,
            "the objectives 'generator', 'discriminator' share one AdamOptimizer",
        ),
        (
            lambda: [lt.Objective(name, lambda global_step: SHARED, name) for name in BOTH],
            ArgumentError,
            "the objectives 'generator', 'discriminator' share one AdamOptimizer",
        ),
    ],
    ids=[
        "fits",
        "overlap",
        "empty",
        "no loss",
        "no variables",
        "steps of one",
        "zero steps",
        "same name",
        "class",
        "optimizers",
        "no list",
        "space in the name",
        "one optimizer",
        "a number",
        "a variable",
        "an empty list",
        "an empty scope",
        "a number in the list",
        "steps is True",
        "a shared optimizer",
        "a shared optimizer by functions",
    ],
)
def test_objectives_that_do_not_fit_are_refused(make, error, message):
    if error is None:
        build(make())
        return
    with pytest.raises(error, match=message):
        build(make())


def test_a_variable_without_an_objective_is_refused():
    def with_more(batch, mode):
        output = model_fn(batch, mode)
        extra = variable("extra/w", initializer=np.zeros([2]))
        return output._replace(loss={name: loss + tf.reduce_sum(extra) for name, loss in output.loss.items()})

    with pytest.raises(TowerError, match="no objective trains 'extra/w'"):
        build(objectives(), with_more)


def test_var_list_leaves_variables_without_an_objective():
    def with_more(batch, mode):
        output = model_fn(batch, mode)
        extra = variable("extra/w", initializer=np.zeros([2]))
        return output._replace(loss={name: loss + tf.reduce_sum(extra) for name, loss in output.loss.items()})

    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE, use_resource=True):
        variable("generator/w", initializer=START["generator"])
        variable("discriminator/w", initializer=START["discriminator"])
        kept = list(tf.trainable_variables())
        step = build(objectives(), with_more, var_list=kept)
    assert {variable.op.name for _, variable in step.gradients} == {"generator/w", "discriminator/w"}


def test_variables_of_an_objective_by_list():
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE, use_resource=True):
        u = variable("generator/w", initializer=START["generator"])
        v = variable("discriminator/w", initializer=START["discriminator"])
        given = [lt.Objective("generator", sgd(), [u]), lt.Objective("discriminator", sgd(), [v])]
        step = build(given)
    assert {name: [each.op.name for each in objective.variables] for name, objective in step.objectives.items()} == {
        "generator": ["generator/w"], "discriminator": ["discriminator/w"]
    }


def test_a_partitioned_variable_stands_for_its_slices():
    with tf.variable_scope(
        tf.get_variable_scope(), reuse=tf.AUTO_REUSE, use_resource=True, partitioner=tf.fixed_size_partitioner(2)
    ):
        u = variable("generator/w", shape=[2], initializer=tf.ones_initializer())
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE, use_resource=True):
        v = variable("discriminator/w", initializer=START["discriminator"])

    def two(batch, mode):
        both = {"generator": tf.reduce_sum(batch * tf.convert_to_tensor(u), 1), "discriminator": tf.square(v)}
        return lt.TowerOutput(loss={name: tf.reduce_mean(loss) for name, loss in both.items()})

    step = build([lt.Objective("generator", sgd(), [u]), lt.Objective("discriminator", sgd(), [v])], two)
    names = [each.op.name for each in step.objectives["generator"].variables]
    assert names == ["generator/w/part_0", "generator/w/part_1"]
