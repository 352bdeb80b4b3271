"""LT309: tf.contrib.training.batch_sequences_with_states."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT309",
    names=(
        "tf.contrib.training.batch_sequences_with_states",
        "tf.contrib.training.SequenceQueueingStateSaver",
        "tf.contrib.training.SequenceQueueingStateSaver.close",
    ),
    becomes="windows of num_unroll steps by batch, and states in variables: written by hand",
    explanation="""
It cuts long sequences into segments of `num_unroll` steps, and keeps the state of a recurrent network from one
segment to the next, by the key of the sequence. tf.data has no states. A dataset can give the segments of a batch of
sequences in turn; the model then keeps the states in local variables, which a first segment sets to zero.
""",
    limits="""
It is never rewritten, since the model reads and saves its states in the queue. The example compares the segments.
""",
    example=Example(
        before="""
sequence = tf.range(4)
saved = tf.contrib.training.batch_sequences_with_states(
    input_key="a", input_sequences={"x": sequence}, input_context={}, input_length=tf.constant(4),
    initial_states={"h": tf.zeros([1])}, num_unroll=2, batch_size=1, make_keys_unique=True, num_threads=1)
with tf.control_dependencies([saved.save_state("h", saved.state("h") + 1.0)]):
    batch = tf.identity(saved.sequences["x"])
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(tf.range(4)).batch(2, drop_remainder=True)
dataset = dataset.map(lambda segment: tf.expand_dims(segment, 0)).repeat()
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
        steps=2,
    ),
))
