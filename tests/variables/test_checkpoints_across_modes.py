"""A checkpoint of any strategy restores in any other and at other tower counts, slots included, with equal results.

Each strategy, with its number of towers, trains on the same 12 examples per step. numpy reads its checkpoint, which is
restored in every strategy; one further step must compute what TensorFlow's plain training loop computes from the
checkpoint, with unpartitioned variables on one device. `LocalSGD` saves the mean of its towers; since it applies
gradients tower by tower, its results are comparable for optimizers that are linear in the gradient, or for one tower.
"""
from typing import Any, Dict, NamedTuple

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.variables.named import make_strategy

EXAMPLES, ROWS, WIDTH, STEPS = 12, 9, 2, 3
RANDOM = np.random.RandomState(8)
# All towers have rows 0 to 5 among their examples, for up to 3 towers: Momentum does not update rows that a sparse
# gradient lacks, so that a tower's update is linear in its gradient only if it has the rows of all. 6 to 8: unused.
IDS = np.concatenate([
    RANDOM.permutation(np.concatenate([np.arange(6), RANDOM.randint(0, 6, size=[2])])) for _ in range(3)
]).reshape([EXAMPLES, 2])
LABELS = RANDOM.normal(size=[EXAMPLES, 1])
TABLE = RANDOM.normal(size=[ROWS, WIDTH])
WEIGHTS = RANDOM.normal(size=[2 * WIDTH, 1])
CPUS = ["/cpu:{}".format(index) for index in range(4)]

OPTIMIZERS = {
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda: tf.train.AdamOptimizer(0.05),
}
# Strategy, towers. Modes that are not comparable for Adam have another number of towers there.
MODES = {
    "parameter_server": ("parameter_server", {"momentum": 1, "adam": 2}),
    "round_robin": ("round_robin", {"momentum": 3, "adam": 3}),
    "balanced": ("balanced", {"momentum": 4, "adam": 4}),
    "partitioned": ("partitioned:48+round_robin", {"momentum": 2, "adam": 3}),
    "in smaller parts": ("partitioned:16", {"momentum": 3, "adam": 2}),
    "replicated": ("replicated", {"momentum": 2, "adam": 3}),
    "local_sgd, synchronized": ("local_sgd:3", {"momentum": 2, "adam": 1}),
    "local_sgd, not synchronized": ("local_sgd:2", {"momentum": 3, "adam": 1}),
    "asynchronous": ("asynchronous", {"momentum": 1, "adam": 1}),
    "asynchronous, partitioned": ("asynchronous+partitioned:48", {"momentum": 1, "adam": 1}),
}
# The variables after their checkpoint differ from it, since their towers are not synchronized then.
UNSYNCHRONIZED = {"local_sgd, not synchronized"}


class Built(NamedTuple):
    graph: Any
    session: Any  # of all runs: TensorFlow prepares the graph once
    initializer: Any
    step: Any
    saver: Any


class Source(NamedTuple):
    checkpoint: str
    values: Dict[str, np.ndarray]  # its content
    further: Dict[str, np.ndarray]  # after one more step of TensorFlow's plain loop


def loss_of(ids, labels):
    table = tf.get_variable("table", [ROWS, WIDTH], tf.float64, tf.constant_initializer(TABLE))
    with tf.variable_scope("deep"):
        weights = tf.get_variable("weights", [2 * WIDTH, 1], tf.float64, tf.constant_initializer(WEIGHTS))
        bias = tf.get_variable("bias", [1], tf.float64, tf.ones_initializer())
    rows = tf.nn.embedding_lookup(table, ids, partition_strategy="div")
    return tf.reduce_mean(tf.square(tf.tanh(tf.matmul(tf.reshape(rows, [-1, 2 * WIDTH]), weights) + bias) - labels))


def contents(checkpoint):
    reader = tf.train.load_checkpoint(checkpoint)
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def assert_same(found, expected):
    assert set(found) == set(expected)
    for name in expected:
        bound = 1e-12 * max(1.0, np.abs(expected[name]).max())
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=bound, err_msg=name)


class World:
    """The graphs, results of sessions and checkpoints for one optimizer, created at first use."""

    def __init__(self, name, folder):
        self.name = name
        self.folder = folder
        self.plain = tf.Graph()
        with self.plain.as_default():
            loss = loss_of(tf.constant(IDS), tf.constant(LABELS))
            self.train = OPTIMIZERS[name]().minimize(loss, tf.train.get_or_create_global_step())
            self.names = [variable.op.name for variable in tf.global_variables()]
            self.saver = tf.train.Saver()
        self.built = {}
        self.sources = {}
        self.saved = 0

    def further(self, checkpoint):
        with self.plain.as_default(), tf.Session() as session:
            self.saver.restore(session, checkpoint)
            session.run(self.train)
            return dict(zip(self.names, session.run(tf.global_variables())))

    def build(self, mode):
        if mode not in self.built:
            name, towers = MODES[mode][0], MODES[mode][1][self.name]
            with tf.Graph().as_default() as graph:
                batches = [
                    (tf.constant(ids), tf.constant(labels))
                    for ids, labels in zip(np.split(IDS, towers), np.split(LABELS, towers))
                ]
                step = lt.build_train_step(
                    lambda batch, mode: lt.TowerOutput(loss=loss_of(*batch)),
                    lt.inputs.from_tensors(per_tower=batches),
                    OPTIMIZERS[self.name](),
                    CPUS[:towers],
                    make_strategy(name, CPUS[:towers]),
                )
                savers = tf.get_collection(tf.GraphKeys.SAVERS)
                saver = savers[0] if savers else tf.train.Saver()
                if savers:
                    saver.build()
                initializer = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
                session = tf.Session(config=lt.session_config(logical_cpus=4))
            self.built[mode] = Built(graph, session, initializer, step, saver)
        return self.built[mode]

    def run(self, mode, steps, restored=None, then=0):
        """Returns the checkpoint after `steps` steps, from the start or a checkpoint, or after `then` more steps."""
        built = self.build(mode)
        session = built.session
        with built.graph.as_default(), session.as_default():
            session.run(built.initializer)  # nothing is left of an earlier run
            if restored is not None:
                built.saver.restore(session, restored)
            with built.step.running(session) as run:
                saved = []
                for count in (steps, then):
                    for _ in range(count):
                        run()
                    self.saved += 1
                    built.saver.set_last_checkpoints_with_time([])  # otherwise it would delete its older ones
                    prefix = str(self.folder / "saved-{}".format(self.saved))
                    saved.append(built.saver.save(session, prefix, write_meta_graph=False, write_state=False))
        return saved

    def source(self, mode):
        if mode not in self.sources:
            checkpoint, live = self.run(mode, STEPS, then=1)
            made = Source(checkpoint, contents(checkpoint), self.further(checkpoint))
            if mode not in UNSYNCHRONIZED:
                assert_same(contents(live), made.further)
            self.sources[mode] = made
        return self.sources[mode]


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """Returns the `World` of each optimizer. A fixture with parameters would be made again for each pair."""
    made = {name: World(name, tmp_path_factory.mktemp(name)) for name in OPTIMIZERS}
    yield made
    for world in made.values():
        for built in world.built.values():
            built.session.close()


# All pairs with Momentum; with Adam each mode is a source once and a target once.
PAIRS = [("momentum", source, target) for source in MODES for target in MODES] + [
    ("adam", source, target) for source, target in zip(MODES, list(MODES)[3:] + list(MODES)[:3])
]


@pytest.mark.parametrize("optimizer, source, target", PAIRS)
def test_a_checkpoint_of_any_mode_restores_in_any_other(worlds, optimizer, source, target):
    world = worlds[optimizer]
    made = world.source(source)
    assert set(made.values) == set(world.names)
    restored, further = world.run(target, 0, made.checkpoint, then=1)
    assert_same(contents(restored), made.values)
    assert_same(contents(further), made.further)


@pytest.mark.parametrize("mode", [mode for mode in MODES if not mode.startswith("local_sgd")])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_mode_that_applies_the_mean_trains_equally(worlds, optimizer, mode):
    world = worlds[optimizer]
    with world.plain.as_default(), tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(STEPS):
            session.run(world.train)
        expected = dict(zip(world.names, session.run(tf.global_variables())))
    assert_same(world.source(mode).values, expected)


def test_the_mean_of_unsynchronized_towers_differs_from_synchronous_training(worlds):
    modes = ("local_sgd, not synchronized", "parameter_server")
    values = [worlds["momentum"].source(mode).values["table"] for mode in modes]
    assert np.abs(values[0] - values[1]).max() > 1e-6
