"""Uses of tf.contrib.graph_editor whose results must equal those of TensorFlow 1.15.

To record TensorFlow's own again, on TensorFlow 1.15, from the folder tests/:

    python -m tf1_cases.contrib.graph_editor_runs
"""
import json
import os
import sys

import numpy as np
from tf1_cases import recorded_cases

from legacy_towers.compat import tf

REFERENCE = os.path.join(recorded_cases.FOLDER, "contrib_graph_editor.json")


def names(things):
    return [each.name for each in things]


def numbers(*tensors):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [np.asarray(value).tolist() for value in session.run(list(tensors))]


def chain():
    """Builds a small graph, scope/a -> scope/b -> c, with a control dependency of d on c."""
    start = tf.constant([1.0, 2.0], name="start")
    with tf.name_scope("scope"):
        first = tf.square(start, name="a")
        second = tf.add(first, start, name="b")
    third = tf.multiply(second, first, name="c")
    with tf.control_dependencies([third]):
        last = tf.identity(start, name="d")
    return start, first, second, third, last


def selections(ge):
    start, first, second, third, last = chain()
    graph = tf.get_default_graph()
    controls = ge.ControlOutputs(graph)
    inside = ge.make_list_of_op([first.op, second.op])
    return {
        "forward": sorted(names(ge.get_forward_walk_ops(first.op))),
        "forward with control": sorted(names(ge.get_forward_walk_ops([first], control_outputs=controls))),
        "forward of tensors": sorted(names(ge.get_forward_walk_ops([first], inclusive=False))),
        "backward": sorted(names(ge.get_backward_walk_ops([third], inclusive=False))),
        "backward within": sorted(names(ge.get_backward_walk_ops(third.op, within_ops=inside + [third.op]))),
        "backward stopped": sorted(names(ge.get_backward_walk_ops([third], stop_at_ts=[first, second]))),
        "backward with control": sorted(names(ge.get_backward_walk_ops(last.op, control_inputs=True))),
        "between": sorted(names(ge.get_walks_intersection_ops([first], [third]))),
        "union": sorted(names(ge.get_walks_union_ops([first], [second]))),
        "boundary": [names(each) for each in ge.compute_boundary_ts(inside)],
        "within boundary": names(ge.get_within_boundary_ops(graph, first.op, [third.op, start.op])),
        "tensors": names(ge.filter_ts(inside, True)),
        "by pattern": names(ge.filter_ts_from_regex(inside, "scope/")),
        "scope": names(ge.get_name_scope_ops(graph, "scope/")),
        "selected": names(ge.select_ops("^scope", third.op, first, graph=graph)),
        "selected tensors": names(ge.select_ts("(?#ts)^c", third, first.op, graph=graph)),
        "both": [names(each) for each in ge.select_ops_and_ts("^scope", "(?#ts)^c", graph=graph)],
        "generating": names(ge.get_generating_ops([second, third])),
        "consuming": sorted(names(ge.get_consuming_ops([start]))),
        "waiting": names(controls.get(third.op)),
        "placeholder": [ge.placeholder_name(first), ge.placeholder_name(first, scope=""), ge.placeholder_name()],
    }


def views(ge):
    start, first, second, third, _ = chain()
    view = ge.sgv([first.op, second.op], third)
    remapped = view.remap(new_input_indices=[start], new_output_indices=[1, 1, 0])
    scope = ge.sgv_scope("scope", graph=tf.get_default_graph())
    return {
        "ops": names(view.ops),
        "inputs": names(view.inputs),
        "outputs": names(view.outputs),
        "passing": names(view.passthroughs),
        "connected": [names(view.connected_inputs), names(view.connected_outputs)],
        "remapped": [names(remapped.inputs), names(remapped.outputs)],
        "unique": names(remapped.remap_outputs_make_unique().outputs),
        "consumers of outputs": names(scope.remap_outputs_to_consumers().outputs),
        "default": names(remapped.remap_default().outputs),
        "found": view.find_op_by_name("scope/a").name,
        "consumers": names(scope.consumers()),
        "scope": [names(scope.ops), names(scope.inputs), names(scope.outputs)],
        "unused": names(scope.remap_inputs([]).remap_outputs([0]).remove_unused_ops().ops),
        "index": view.output_index(second),
        "empty": bool(ge.SubGraphView()),
    }


def copies(ge):
    start, first, second, third, last = chain()
    tf.add_to_collection("mine", second)
    view, info = ge.copy(ge.sgv(first.op, second.op), dst_scope="copied")
    replaced, changes = ge.copy_with_input_replacements(
        ge.sgv(first.op, second.op, third.op), {start: start * 3.0}, dst_scope="other"
    )
    elsewhere = tf.Graph()
    moved, _ = ge.copy([first.op, second.op, start.op], elsewhere, src_scope="")
    result = changes.transformed({"third": third, "more": [second, last]})
    return {
        "ops": names(view.ops),
        "inputs": names(view.inputs),
        "outputs": names(view.outputs),
        "original": info.original(view.ops[0]).name,
        "replaced": [names(replaced.ops), names(replaced.outputs)],
        "number": numbers(third, result["third"], result["more"][0]),
        "not copied": result["more"][1] is None,
        "moved": [names(moved.ops), names(elsewhere.get_operations())],
        "collection": names(tf.get_collection("copied/mine")),
    }


def rewired(ge):
    start, first, second, third, last = chain()
    other = tf.constant([5.0, 7.0], name="other")
    changed = ge.reroute_ts([other], [first], can_modify=[third.op])
    ge.add_control_inputs(second.op, other.op)
    ge.remove_control_inputs(last.op, third.op)
    return {
        "changed": changed,
        "number": numbers(second, third),
        "waits": [names(second.op.control_inputs), names(last.op.control_inputs)],
        "swapped": [ge.swap_ts([start], [other], cannot_modify=[last.op]), numbers(first, second, third, last)],
    }


def edited(ge):
    start, first, second, third, _ = chain()
    doubled = tf.multiply(third, 2.0, name="double")
    view, inputs = ge.detach_inputs(ge.sgv(second.op))
    more = tf.negative(start, name="more")
    ge.connect(ge.sgv(more.op), ge.sgv(first.op))
    made, placeholders = ge.bypass(ge.sgv(tf.get_default_graph().get_operation_by_name("c")).remap_inputs([1]))
    return {
        "detached": [names(inputs), names(view.inputs)],
        "bypassed": [names(placeholders), names(made.ops), names(doubled.op.inputs)],
        "number": numbers(first, doubled),
    }


def replaced(ge):
    """Replaces a variable's value by its updated value, as an unrolled GAN does, and the input of a while loop."""
    weight = tf.get_variable("weight", initializer=3.0)
    loss = tf.square(weight - 1.0)
    value = weight.value()
    loss = tf.square(value - 1.0)
    ahead = value - 0.1 * tf.gradients(loss, [value])[0]
    unrolled = ge.graph_replace(loss, {value: ahead})
    begin = tf.constant(2.0)
    looped = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * begin), [0, tf.identity(begin)])[1]
    again = ge.graph_replace([looped, looped + 1.0], {begin: tf.constant(5.0)}, dst_scope="again")
    # A while loop and its copy can't be in one run: they have the same frame name.
    return {"number": numbers(loss, unrolled, looped) + numbers(*again), "name": again[0].name}


def checkpointed(ge):
    """Computes gradients with recomputed activations, as public scripts for gradient checkpointing do."""
    source = tf.get_variable("source", initializer=recorded_cases.values([3, 4], "source"))
    hidden = [source]
    for layer in range(4):
        weights = tf.get_variable("weights%d" % layer, initializer=recorded_cases.values([4, 4], layer))
        hidden.append(tf.tanh(tf.matmul(hidden[-1], weights, name="product%d" % layer), name="kept%d" % layer))
    loss = tf.reduce_sum(tf.square(hidden[-1]))
    variables = tf.trainable_variables()
    plain = tf.gradients(loss, variables)
    found = recomputed(ge, loss, variables, [hidden[2]])
    copied = [op for op in tf.get_default_graph().get_operations() if op.name.startswith("again")]
    return {"number": numbers(*plain), "again": numbers(*found), "copied": sorted(names(copied))}


def recomputed(ge, loss, variables, kept):
    """Returns the gradients computed from copies of the ops after the checkpoints `kept`."""
    backward = ge.get_backward_walk_ops(loss.op, inclusive=True)
    forward = ge.get_forward_walk_ops([v.op for v in variables], inclusive=True, within_ops=backward)
    forward = [op for op in forward if op.inputs and "read" not in op.name]
    cut = {tensor: tf.stop_gradient(tensor) for tensor in kept}
    ops = ge.get_backward_walk_ops(loss.op, inclusive=True, within_ops=forward, stop_at_ts=kept)
    _, info = ge.copy_with_input_replacements(ge.sgv(ops), {}, dst_scope="again")
    ge.reroute_ts(cut.values(), cut.keys(), can_modify=info._transformed_ops.values())
    last = info._transformed_ops[loss.op].outputs[0]
    into = tf.gradients(last, list(cut.values()) + variables)
    before = tf.gradients(kept, variables, grad_ys=into[: len(kept)])
    sums = []
    for one, other in zip(into[len(kept) :], before):
        sums.append(one if other is None else other if one is None else one + other)
    return sums


RUNS = {
    each.__name__: each for each in (selections, views, copies, rewired, edited, replaced, checkpointed)
}


def run(ge, name):
    """Returns the results of a run as JSON values."""
    with tf.Graph().as_default():
        return json.loads(json.dumps(RUNS[name](ge)))


def recorded(name):
    with open(REFERENCE) as file:
        return json.load(file)[name]


def main():
    import tensorflow

    found = {name: run(tensorflow.contrib.graph_editor, name) for name in RUNS}
    with open(REFERENCE, "w") as file:
        json.dump(found, file, sort_keys=True, indent=1)


if __name__ == "__main__":
    sys.exit(main())
