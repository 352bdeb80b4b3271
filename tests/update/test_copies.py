"""Which gradient is applied to which copy, and how the optimizer's slots of copies are registered."""
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.base import GradientRow, ReductionContext, TowerGradients
from legacy_towers.towers import EVAL, TRAIN, TowerOutput, replicate
from legacy_towers.update import apply_own, apply_reduced
from legacy_towers.update.copies import own_rows, registering_slots, to_every_copy
from legacy_towers.variables import LocalSGD, Replicated

DEVICES = ["/cpu:0", "/cpu:1", "/cpu:0"]


def towers_of(strategy, modes=TRAIN):
    """Returns the TowerVariables of three towers with a variable "w" = 1, and a shared one "outside" = 1."""
    tf.get_variable("outside", [], initializer=tf.ones_initializer())

    def model_fn(batch, mode):
        return TowerOutput(loss=batch * tf.get_variable("w", [], initializer=tf.ones_initializer()))

    batches = [tf.constant(float(tower)) for tower in range(3)]
    return replicate(model_fn, batches, DEVICES, strategy, mode=modes)[0].variables


def gradients_of(values, towers, **options):
    """Returns TowerGradients over the trainable variables "outside" and "w", with one value per tower."""
    rows = []
    for variable, of_row in zip(tf.trainable_variables(), values):
        tensors = [None if value is None else tf.constant(value) for value in of_row]
        rows.append(GradientRow(str(variable.op.name), variable, tensors))
    return TowerGradients(rows, ReductionContext([DEVICES[tower] for tower in towers], list(towers)), True, **options)


def after(train_op, fetches, runs=1):
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.local_variables_initializer())
        for _ in range(runs):
            session.run(train_op)
        return session.run(fetches)


def rows_of(gradients):
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        return [(row.name, session.run(row.gradients[0])) for row in gradients.rows]


@pytest.mark.parametrize(
    "values, towers, modes, expected",
    [
        ([[5.0], [7.0]], [0, 1, 2], TRAIN, [7.0, 7.0, 7.0]),
        ([[5.0], [7.0, 8.0, 9.0]], [0, 1, 2], TRAIN, [7.0, 8.0, 9.0]),
        ([[5.0], [7.0, 8.0]], [0, 2], [TRAIN, EVAL, TRAIN], [7.0, 7.0, 8.0]),
    ],
    ids=["one for all", "one per tower", "a tower validates"],
)
def test_a_reduced_gradient_goes_to_every_copy(values, towers, modes, expected):
    variables = towers_of(Replicated(), modes)
    made = to_every_copy(gradients_of(values, towers), variables)
    assert rows_of(made) == [("outside", 5.0)] + list(zip(["w", "w/replica_1", "w/replica_2"], expected))
    assert [row.device for row in made.rows[1:]] == ["/device:CPU:0", "/device:CPU:1", "/device:CPU:0"]


def test_own_gradients_go_to_own_copies_and_shared_variables_get_the_mean():
    variables = towers_of(LocalSGD(2))
    of_towers = [gradients_of([[1.0 + tower], [10.0 * tower]], [tower]) for tower in range(3)]
    made = own_rows(of_towers, variables)
    assert rows_of(made) == [("w/replica_0", 0.0), ("w/replica_1", 10.0), ("w/replica_2", 20.0), ("outside", 2.0)]
    assert made.context.towers == [0, 1, 2] and made.apply_if is None


def test_a_missing_gradient_for_a_shared_variable_is_refused():
    variables = towers_of(LocalSGD(2))
    of_towers = [gradients_of([[None if tower == 1 else 1.0], [1.0]], [tower]) for tower in range(3)]
    with pytest.raises(TowerError, match="1.*'outside'|'outside'.*1"):
        own_rows(of_towers, variables)
    nobody = [gradients_of([[None], [1.0]], [tower]) for tower in range(3)]
    assert own_rows(nobody, variables).rows[-1].gradients == [None]
    with pytest.raises(ArgumentError, match="no towers"):
        own_rows([], variables)


@pytest.mark.parametrize("last, expected", [(True, 0.0), (False, 1.0)], ids=["all apply", "one skips"])
def test_a_step_that_one_tower_skips_is_skipped_by_all(last, expected):
    variables = towers_of(LocalSGD(2))
    of_towers = [
        gradients_of([[None], [1.0]], [tower], apply_if=tf.constant(last or tower < 2)) for tower in range(3)
    ]
    global_step = tf.train.get_or_create_global_step()
    train_op = apply_own(tf.train.GradientDescentOptimizer(1.0), of_towers, variables, global_step)
    (weights,) = [variable for variable in tf.trainable_variables() if variable.op.name == "w"]
    assert after(train_op, [variables.copies_of(weights), global_step]) == [[expected] * 3, 1]


@pytest.mark.parametrize("strategy", [Replicated(), LocalSGD(2)], ids=repr)
def test_slots_of_copies_are_registered_as_copies(strategy):
    variables = towers_of(strategy)
    optimizer = tf.train.MomentumOptimizer(0.5, 0.5)
    if strategy.center:
        train_op = apply_own(optimizer, [gradients_of([[1.0], [1.0]], [tower]) for tower in range(3)], variables)
    else:
        train_op = apply_reduced(optimizer, gradients_of([[1.0], [1.0]], range(3)), variables=variables)
    by_name = {str(variable.op.name): variable for variable in tf.global_variables()}
    assert set(by_name) == {"outside", "w", "outside/Momentum", "w/Momentum"}
    slots = variables.copies_of(by_name["w/Momentum"])
    copies = variables.copies_of(by_name["w"])
    assert [slot.op.name for slot in slots] == [copy.op.name + "/Momentum" for copy in copies]
    assert [slot.device for slot in slots] == [copy.device for copy in copies]
    local = {variable.op.name for variable in tf.local_variables()}
    assert {variable.op.name for variable in copies + slots} - set(by_name) <= local
    # Gradient 1 twice: slot 1, then 1.5; value 1 - 0.5 - 0.75. A variable of no tower is not written.
    own = [by_name["outside"], by_name["outside/Momentum"]]
    assert after(train_op, [copies, slots, own], runs=2) == [[-0.25] * 3, [1.5] * 3, [-0.25, 1.5]]


class OfCopiesAlone(tf.train.GradientDescentOptimizer):
    """An optimizer that creates slots for copies, but not for the plain-named variables."""

    def apply_gradients(self, pairs, global_step=None, name=None):
        pairs = list(pairs)
        for _, variable in pairs:
            if "replica" in variable.op.name:
                tf.get_variable(variable.op.name + "/extra", [], trainable=False)
        return super().apply_gradients(pairs, global_step, name)


def test_a_slot_that_only_copies_have_is_refused():
    variables = towers_of(Replicated())
    with pytest.raises(TowerError, match="creates 'w/replica_1/extra' for tower 1's copy of 'w', but not 'w/extra'"):
        apply_reduced(OfCopiesAlone(1.0), gradients_of([[1.0], [1.0]], range(3)), variables=variables)


def test_variables_that_are_not_slots_of_copies_stay_global():
    variables = towers_of(Replicated())
    with registering_slots(variables):
        tf.get_variable("replica_1/total", [], trainable=False)
    assert "replica_1/total" in [variable.op.name for variable in tf.global_variables()]
    assert len(variables.copied()) == 1
