"""Methods of tf.TensorArray and arguments of tf.SparseTensor that TensorFlow 1.0 renamed."""
import ast

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree
from legacy_towers.run.rewriting import rewriter

SCRIPTS = {
    "pack": (
        "array = tf.TensorArray(tf.float32, 2)\nfound = array.write(0, 1.0).write(1, 2.0).pack()", [1.0, 2.0],
    ),
    "unpack": (
        "array = tf.TensorArray(tf.float32, 2)\nfound = array.unpack([3.0, 4.0]).read(1)", 4.0,
    ),
    "pack after a loop": (
        "array = tf.TensorArray(tf.int32, 3)\n"
        "_, array = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a.write(i, i * i)), [0, array])\n"
        "found = array.pack()",
        [0, 1, 4],
    ),
    "functions with these names": ("import struct\nfound = tf.pack([struct.unpack('b', struct.pack('b', 7))[0]])", [7]),
    "methods of other classes": (
        "class Bag:\n    def pack(self, by=2):\n        return by\nfound = tf.constant(Bag().pack(by=5))", 5,
    ),
    "shape": ("found = tf.sparse_tensor_to_dense(tf.SparseTensor([[0]], [3], shape=[2]))", [3, 0]),
    "shape by position": ("found = tf.sparse_tensor_to_dense(tf.SparseTensor([[0]], [3], [2]))", [3, 0]),
    "shape of a value": ("found = tf.constant(tf.SparseTensorValue([[0]], [3], shape=[2]).dense_shape)", [2]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_old_methods_and_arguments(name):
    source, expected = SCRIPTS[name]
    module = rewriter.rewrite(ast.parse("import tensorflow as tf\n" + source))
    module.body = [each for each in module.body if getattr(each, "names", [None])[0] is None
                   or each.names[0].name != "tensorflow"]
    names = {"tf": tree.module("tensorflow")}
    exec(compile(ast.fix_missing_locations(module), "train.py", "exec"), names)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(names["found"]), expected)


def test_files_without_tensorflow_are_not_rewritten():
    source = "widget.pack()\nsparse = SparseTensor(indices, values, shape=sizes)"
    assert ast.dump(rewriter.rewrite(ast.parse(source))) == ast.dump(ast.parse(source))


def test_the_docstring_of_a_file_is_kept():
    module = rewriter.rewrite(ast.parse('"""A docstring."""\nimport tensorflow as tf\nfound = outputs.pack()'))
    assert ast.get_docstring(module) == "A docstring." and len(module.body) > 3
