"""Towers that are connected by cross-tower batch norm."""
import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.towers import TRAIN, TowerOutput, replicate
from legacy_towers.towers.batch_norm import cross_tower_batch_norm
from legacy_towers.towers.connected_towers import CrossTowerTensors

MOMENTUM = 0.9


def across(inputs, training, **options):
    return cross_tower_batch_norm(inputs, training, momentum=MOMENTUM, **options)


def connected(model_fn, values, modes=None, strategy=None, **options):
    """Returns towers on one logical device each, and their connections."""
    modes = [TRAIN] * len(values) if modes is None else modes
    cross_tower = CrossTowerTensors(modes, strategy=strategy, **options)
    batches = [tf.constant(value) for value in values]
    towers = replicate(cross_tower.wrap(model_fn), batches, lt.devices.cpus(len(values)), mode=modes)
    return towers, cross_tower


def of_batch(training=None):
    """Returns a model function of one layer named bn, whose predictions are the layer's outputs."""

    def model_fn(batch, mode):
        outputs = across(batch, mode == TRAIN if training is None else training, name="bn")
        return TowerOutput(loss=tf.reduce_mean(outputs), predictions=outputs)

    return model_fn


def evaluate(fetches, devices=4):
    with tf.Session(config=lt.session_config(logical_cpus=devices)) as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)
