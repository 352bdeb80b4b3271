"""What the checks of losses and gradients find, and what they leave alone."""
import pytest
from doctor import diagnosed
from doctor.checks.tower_scripts import GET_VARIABLE, script

ADD = "optimizer.apply_gradients(average(tower_pairs, divide=False))"
MEAN_OF_LOSSES = "optimizer.minimize(tf.reduce_mean(losses))"
NO_GRADIENTS = "None"
CROSS_ENTROPY = "tf.losses.sigmoid_cross_entropy(tf.ones([4, 1]), model(x))"
SPARSE_CROSS_ENTROPY = "tf.losses.sparse_softmax_cross_entropy(tf.zeros([4], tf.int32), tf.concat([model(x)] * 2, 1))"
REUSED = """with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        fc, bias = tf.get_variable("fc", [2, 1]), tf.get_variable("bias", [1])"""
SUM_OVER_EXAMPLES = "tf.reduce_sum(tf.reshape(tf.square(model(x) - 1.0), [4])) / {}"
REGULARIZED = GET_VARIABLE.replace('"fc", [2, 1]', '"fc", [2, 1], regularizer=l2')
ADD_REGULARIZATION = "loss += tf.losses.get_regularization_loss()"
COLLECT = "tf.add_to_collection('losses', loss)"
VARIABLE = """fc = tf.Variable(tf.ones([2, 1]), name="fc")
    bias = tf.get_variable("bias", [1])
    fc_and_bias[:] = [fc, bias]"""
LIST = "fc_and_bias = []\n"
OWN_VARIABLES = "optimizer.compute_gradients(loss, fc_and_bias)"
EMBEDDING = """fc = tf.get_variable("fc", [2, 1])
    bias = tf.reshape(tf.nn.embedding_lookup(tf.get_variable("emb", [9, 1]), ids), [4, 1])"""
SPARSE = """
def average_with_sparse(tower_pairs, divide):
    averaged = []
    for pairs in zip(*tower_pairs):
        if isinstance(pairs[0][0], tf.IndexedSlices):
            values = tf.concat([pair[0].values for pair in pairs], 0) / divide
            gradient = tf.IndexedSlices(values, tf.concat([pair[0].indices for pair in pairs], 0))
        else:
            gradient = tf.add_n([pair[0] for pair in pairs]) / len(pairs)
        averaged.append((gradient, pairs[0][1]))
    return averaged
"""
ONE_AVERAGE = """
def average_outside(tower_pairs):
    for pairs in zip(*tower_pairs):
        gradient = tf.add_n([pair[0] for pair in pairs]) / len(pairs)
    return [(gradient, pairs[0][1])]
"""
COPIES = """
def apply_to_copies(tower_pairs):
    averaged = average(tower_pairs)
    return tf.group(*[
        optimizer.apply_gradients([(g, pair[1]) for (g, _), pair in zip(averaged, pairs)]) for pairs in tower_pairs])
"""

FOUND = {
    "each loss is divided, and gradients are averaged": ("LD202", script(inside="loss = loss / towers")),
    "each loss of two towers is divided by a name": ("LD202", script(towers=2, inside="loss /= towers")),
    "each loss of three towers is divided by a literal": ("LD202", script(inside="loss = loss / 3")),
    "each loss of three towers is divided by a literal float": ("LD202", script(inside="loss /= float(3)")),
    "cross-entropy of two towers is divided by a literal": (
        "LD202", script(towers=2, loss=CROSS_ENTROPY, inside="loss = loss / 2")),
    "sparse cross-entropy of two towers, and a literal function": (
        "LD202", script(towers=2, loss=SPARSE_CROSS_ENTROPY, inside="loss = tf.divide(loss, 2.0)")),
    "a sum over the global batch, and gradients are averaged": (
        "LD202", script(loss=SUM_OVER_EXAMPLES.format("(4 * towers)"))),
    "the gradients of the mean loss are divided": ("LD202", script(
        gradients=NO_GRADIENTS, before="compute = optimizer.compute_gradients",
        train="optimizer.apply_gradients([(g / towers, v) for g, v in compute(tf.reduce_mean(losses)) if g is not "
              "None])")),
    "sparse gradients are added, others averaged": ("LD203", script(
        variables=EMBEDDING, before=SPARSE, train="optimizer.apply_gradients(average_with_sparse(tower_pairs, 1))")),
    "regularization in no loss": ("LD204", script(variables=REGULARIZED)),
    "regularization losses of the tower's scope": ("LD204", script(
        variables=REGULARIZED, inside="loss += tf.losses.get_regularization_loss(scope)")),
    "regularization in every tower of divided losses": ("LD205", script(
        variables=REGULARIZED, inside="loss = loss / towers + tf.losses.get_regularization_loss()", train=ADD)),
    "regularization in one tower of averaged gradients": ("LD205", script(
        variables=REGULARIZED, inside="loss = loss + tf.losses.get_regularization_loss() if i == 0 else loss")),
    "total loss of all towers so far": ("LD206", script(
        loss="tf.losses.mean_squared_error(tf.ones([4, 1]), model(x))", inside="loss = tf.losses.get_total_loss()")),
    "collected losses of all towers so far": ("LD206", script(
        inside=COLLECT + "; loss = tf.add_n(tf.get_collection('losses'))")),
    "regularization of all towers so far": ("LD206", script(
        inside="tf.contrib.layers.apply_regularization(l2, tf.trainable_variables()[1:2]); " + ADD_REGULARIZATION)),
    "a tower trains fewer variables": ("LD207", script(
        gradients="optimizer.compute_gradients(loss, tf.trainable_variables()[1:3 - (i == 1)])",
        train="optimizer.apply_gradients(average([p[:1] for p in tower_pairs]) + "
              "average([p[1:] for p in tower_pairs[:3:2]]))")),
    "tf.Variable in each tower": ("LD208", script(before=LIST, variables=VARIABLE, gradients=OWN_VARIABLES)),
    "tf.Variable in each tower, and gradients that are None are left out": ("LD208", script(
        before=LIST, variables=VARIABLE, gradients="optimizer.compute_gradients(loss)", train=(
            "optimizer.apply_gradients([(sum(g for g, _ in kept) / len(kept), kept[0][1]) for kept in "
            "[[p for p in pairs if p[0] is not None] for pairs in zip(*tower_pairs)] if kept])"))),
    "the averaged gradient of the last variable is returned": (
        "LD209", script(before=ONE_AVERAGE, train="optimizer.apply_gradients(average_outside(tower_pairs))")),
}
NOT_FOUND = {
    "averaged gradients": script(),
    "averaged gradients that are clipped": script(
        before="def clip(pairs):\n    g, _ = tf.clip_by_global_norm([g for g, _ in pairs], 1.0)\n"
               "    return zip(g, [v for _, v in pairs])\n",
        train="optimizer.apply_gradients(clip(average(tower_pairs)))"),
    "clipped gradients of each tower": script(
        gradients="[(tf.clip_by_norm(g, 2.0), v) for g, v in optimizer.compute_gradients(loss) if g is not None]"),
    "divided losses, added gradients": script(inside="loss = loss / towers", train=ADD),
    "the mean loss": script(gradients=NO_GRADIENTS, train=MEAN_OF_LOSSES),
    "added gradients": script(train=ADD),
    "half of the squares, of two towers": script(towers=2, inside="loss = loss / 2"),
    "the mean of three losses of each of three towers": script(
        inside="loss = (loss + tf.reduce_mean(tf.abs(model(x))) + tf.reduce_mean(tf.exp(model(x)))) / 3",
        variables=REUSED),
    "the mean of two cross-entropies of each of two towers": script(
        towers=2, variables=REUSED, loss=CROSS_ENTROPY, inside="loss = (loss + {}) / 2".format(SPARSE_CROSS_ENTROPY)),
    "cross-entropy with a weight that is the mean's": script(towers=2, loss=CROSS_ENTROPY, inside="loss = 0.5 * loss"),
    "half of the squares of logarithms": script(
        towers=2, loss="tf.reduce_mean(tf.square(tf.log(1.0 + tf.square(model(x)))))", inside="loss = loss / 2"),
    "half of the squares by a factor": script(towers=2, inside="loss = 0.5 * loss"),
    "a loss that is scaled up, and gradients scaled down": script(
        inside="loss = 128 * loss",
        train="optimizer.apply_gradients([(g / 128, v) for g, v in average(tower_pairs)])"),
    "a sum over the tower's batch": script(loss=SUM_OVER_EXAMPLES.format("4")),
    "sparse gradients are averaged": script(
        variables=EMBEDDING, before=SPARSE, train="optimizer.apply_gradients(average_with_sparse(tower_pairs, 3))"),
    "biases learn twice as fast": script(
        towers=2, train="optimizer.apply_gradients([(2.0 * g if 'bias' in v.name else g, v) for g, v in "
                        "average(tower_pairs)])"),
    "regularization in every tower of averaged gradients": script(variables=REGULARIZED, inside=ADD_REGULARIZATION),
    "regularization in one tower of added gradients": script(
        variables=REGULARIZED, inside="loss = loss / towers + (tf.losses.get_regularization_loss() if i == 0 else 0.0)",
        train=ADD),
    "regularization of the mean loss": script(
        variables=REGULARIZED, gradients=NO_GRADIENTS,
        train="optimizer.minimize(tf.reduce_mean(losses) + tf.losses.get_regularization_loss())"),
    "regularization of variables that are not trained": script(
        variables=REGULARIZED, gradients="optimizer.compute_gradients(loss, [tf.trainable_variables()[2]])"),
    "the tower's own total loss": script(
        loss="tf.losses.mean_squared_error(tf.ones([4, 1]), model(x))",
        inside="loss = tf.add_n(tf.losses.get_losses(scope))"),
    "the collected losses of the tower": script(
        inside=COLLECT + "; loss = tf.add_n(tf.get_collection('losses', scope))"),
    "a frozen variable": script(gradients="optimizer.compute_gradients(loss, tf.trainable_variables()[1:2])"),
    "a variable that one tower reads": script(
        towers=2, inside="loss = loss + (tf.reduce_mean(tf.get_variable('head', [2])) if i == 0 else 0.0)",
        train="tf.group(optimizer.apply_gradients([tower_pairs[0][-1]]), "
              "optimizer.apply_gradients(average([p[:2] for p in tower_pairs])))"),
    "every tower applies its own gradients": script(
        train="[optimizer.apply_gradients([p for p in pairs if p[0] is not None]) for pairs in tower_pairs]"),
    "towers whose training operations run in turn": script(
        train="[optimizer.apply_gradients([p for p in pairs if p[0] is not None]) for pairs in tower_pairs]",
        fetches="op[0]"),
    "copies of variables that get the averaged gradients": script(
        variables=VARIABLE.replace("tf.get_variable(\"bias\", [1])", "tf.Variable([0.0], name='bias')"),
        before=LIST + COPIES, gradients=OWN_VARIABLES, train="apply_to_copies(tower_pairs)"),
    "a model of each tower's own": script(
        variables=VARIABLE.replace("tf.get_variable(\"bias\", [1])", "tf.Variable([0.0], name='bias')"), before=LIST,
        gradients=NO_GRADIENTS, train=MEAN_OF_LOSSES),
    "summaries of gradients that are not applied": script(
        gradients="optimizer.compute_gradients(loss, tf.trainable_variables()[1:])",
        train="(lambda pairs: (optimizer.apply_gradients(pairs[1:]), tf.summary.histogram('g', pairs[0][0])))("
              "average(tower_pairs))"),
}


@pytest.mark.parametrize("code, source", FOUND.values(), ids=FOUND.keys())
def test_wrong_losses_and_gradients_of_towers_are_found(code, source):
    assert diagnosed.codes(source) == [code]


@pytest.mark.parametrize("source", NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_correct_losses_and_gradients_of_towers_give_no_finding(source):
    assert diagnosed.codes(source) == []
