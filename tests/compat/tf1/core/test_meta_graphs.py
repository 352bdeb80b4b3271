"""Graphs that TensorFlow 1.x wrote are imported, where it wrote other static shapes than TensorFlow 2 infers."""
import os

import numpy as np
import pytest

from legacy_towers.compat.tf1 import tree

tf = tree.module("tensorflow")
SHAPES = "_output_shapes"


def written_by_1_15(path, as_text):
    """Writes a graph that trains batch norm, with the shapes that TensorFlow 1.15 writes; returns a loss."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 4, 4, 3], name="x")
        scale = tf.get_variable("scale", [3], initializer=tf.ones_initializer())
        result = tf.nn.fused_batch_norm(x * 2.0, scale, tf.zeros([3]), is_training=True)[0]
        tf.gradients(tf.reduce_sum(result * result, name="loss"), [scale], name="change")
        tf.train.Saver().export_meta_graph(path, as_text=as_text)
        meta_graph = tf.train.export_meta_graph()
    nodes = [node for node in meta_graph.graph_def.node if node.op.startswith("FusedBatchNormGrad")]
    assert nodes
    for node in nodes:
        shapes = node.attr[SHAPES].list.shape
        del shapes[:]
        for dims in ([-1, 4, 4, 3], [3], [3], [0], [0]):
            shape = shapes.add()
            for size in dims:
                shape.dim.add().size = size
    return meta_graph


@pytest.mark.parametrize("source", ["file", "text", "proto"])
def test_import_meta_graph_imports_batch_norm_of_1_15(tmp_path, source):
    path = os.path.join(str(tmp_path), "model.meta")
    meta_graph = written_by_1_15(path, source == "text")
    if source == "proto":
        given = meta_graph
    else:
        given = path
        with open(path, "wb") as file:
            file.write(str(meta_graph).encode() if source == "text" else meta_graph.SerializeToString())
    before = meta_graph.SerializeToString(deterministic=True)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        saver = tf.train.import_meta_graph(given)
        assert isinstance(saver, tf.train.Saver) and meta_graph.SerializeToString(deterministic=True) == before
        session.run(tf.global_variables_initializer())
        x = np.arange(96, dtype=np.float32).reshape(2, 4, 4, 3)
        loss = session.run(graph.get_tensor_by_name("loss:0"), {"x:0": x})
    assert loss == pytest.approx(96, rel=1e-3)  # each of 96 numbers has the variance 1


def test_import_meta_graph_rejects_a_file_without_a_meta_graph(tmp_path):
    with pytest.raises(IOError):
        tf.train.import_meta_graph(os.path.join(str(tmp_path), "absent.meta"))
    path = os.path.join(str(tmp_path), "model.meta")
    with open(path, "w") as file:
        file.write("{ no graph")
    with pytest.raises(IOError):
        tf.train.import_meta_graph(path)
