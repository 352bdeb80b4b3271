import pytest

from legacy_towers.compat import tf
from legacy_towers.graph import meta_graphs
from legacy_towers.migrate.proof.parts import Parts
from legacy_towers.migrate.proof.prove import prove
from legacy_towers.migrate.proof.sides import shapes_of


def numbers(name=None):
    return tf.train.range_input_producer(6, num_epochs=1, shuffle=False, name=name).dequeue()


def model(batch):
    """Returns the gradient of a loss by a variable, which is assigned in a `tf.cond`."""
    weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
    loss = tf.cond(weight > 0, lambda: tf.reduce_mean(tf.cast(batch, tf.float32) * weight), lambda: weight)
    return tf.gradients(loss, weight)


def part_of(name):
    """Returns the imported part of the pipeline `name` of the default graph, and the names of its operations."""
    meta = meta_graphs.meta_graph_of(tf.get_default_graph())
    graph = meta_graphs.imported(meta)
    part = meta_graphs.imported(Parts(graph, meta, shapes_of(graph)).of(name))
    return part, {each.name for each in part.get_operations()}


def plain():
    return tf.train.batch([numbers()], 2)


def of_a_cond():
    number = numbers()
    return tf.train.batch([tf.cond(number > 2, lambda: number * 2, lambda: number + 7)], 2)


def of_a_loop():
    number = numbers()
    return tf.train.batch([tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + i), [0, number])[1]], 2)


def of_a_table():
    keys = tf.constant([0, 1, 2, 3, 4, 5])
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, keys * 10), -1)
    return tf.train.batch([table.lookup(numbers())], 2)


def of_a_variable_that_keeps_its_value():
    variable = tf.Variable([3, 1, 4, 1, 5, 9], trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES],
                           use_resource=False)
    return tf.train.batch(tf.train.slice_input_producer([variable], num_epochs=1, shuffle=False), 2)


def of_a_resource_variable():
    variable = tf.Variable([3, 1, 4, 1, 5, 9], trainable=False, use_resource=True)
    return tf.train.batch([tf.gather(variable, numbers())], 2)


PIPELINES = [plain, of_a_cond, of_a_loop, of_a_table, of_a_variable_that_keeps_its_value, of_a_resource_variable]


@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda each: each.__name__)
def test_a_part_gives_what_the_graph_gives(pipeline):
    batch = pipeline()
    gradient = model(batch)[0]
    [proof] = prove(rounds=0).pipelines
    assert (proof.verdict, proof.examples) == ("proven", (6, 6)), str(proof)
    part, names = part_of(batch.op.inputs[0].op.name)
    assert gradient.op.name not in names and "weight" not in names
    assert not part.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)
    assert [each.op.name for each in part.get_collection(tf.GraphKeys.LOCAL_VARIABLES)] == [
        each.op.name for each in tf.local_variables()
    ]
    assert len(part.get_collection(tf.GraphKeys.QUEUE_RUNNERS)) == len(
        tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    )


def test_a_part_has_no_other_pipeline():
    batch, other = tf.train.batch([numbers("one")], 2, name="first"), tf.train.batch([numbers("two")], 3, name="second")
    _, names = part_of(batch.op.inputs[0].op.name)
    assert batch.op.name in names and other.op.name not in names


def test_a_part_has_the_pipelines_that_take_from_the_same_queue():
    shared = tf.train.range_input_producer(6, num_epochs=1, shuffle=False)
    batch, other = [tf.train.batch([shared.dequeue()], 2, name=name) for name in ("first", "second")]
    _, names = part_of(batch.op.inputs[0].op.name)
    assert batch.op.name in names and other.op.name in names


def test_what_the_model_reads_beside_a_queue_is_proven_in_a_part():
    number = numbers()
    tf.summary.scalar("number", number)
    tf.train.batch([number], 2)
    proofs = {each.name: each for each in prove(rounds=0).pipelines}
    assert {name: each.verdict for name, each in proofs.items()} == {
        number.op.name: "proven", "batch/fifo_queue": "proven",
    }


def test_a_part_is_without_colocation_with_what_it_does_not_have():
    with tf.device("/cpu:0"):
        weight = tf.Variable(1, use_resource=False)
    number = numbers()
    with tf.colocate_with(weight.op):
        moved = tf.identity(number)
    batch = tf.train.batch([moved], 2)
    _, names = part_of(batch.op.inputs[0].op.name)
    assert moved.op.name in names and weight.op.name not in names


def test_what_several_pipelines_of_one_graph_refuse_is_told_of_each():
    tf.train.batch([numbers()], 2)
    tf.train.batch([tf.placeholder_with_default(1, [])], 2, name="fed")
    proofs = prove(rounds=0).pipelines
    assert [(each.name, each.verdict, each.reason) for each in proofs] == [
        ("batch/fifo_queue", "proven", ""),
        ("fed/fifo_queue", "not compared", "it is refused: its elements depend on a placeholder"),
    ]
