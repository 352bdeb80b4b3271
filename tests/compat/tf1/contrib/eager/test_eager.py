"""tf.contrib.eager in a script with eager execution: the numbers of TensorFlow 1.15."""
import os
import subprocess

import preloaded
import pytest

from legacy_towers.compat import tf

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "eager_script.py")
# The output of the script on TensorFlow 1.15.
PRINTED = """loss 0.65511
loss 0.81648
loss 0.66221
loss 0.79041
loss 0.65747
accuracy 0.53333 mean 0.67077
square 6.000
net 0.69315
net 0.70103
net 0.70705
variables 4 [[3, 4], [4], [4, 2], [2]]
restored True True
total 5.0
again 3.0 of 1
weighted 1.750
right 0.500
held 3.0 doubled 10.0
"""


@pytest.mark.slow
@pytest.mark.parametrize("by", ["python", "run"])
def test_script_prints_the_same_as_on_tensorflow_1_15(by):
    if by == "python" and not tf.__version__.startswith("1.15"):
        pytest.skip("only TensorFlow 1.15 has tf.contrib")
    command = [preloaded.executable()] + (["-m", "legacy_towers", "run"] if by == "run" else []) + [SCRIPT]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert [line for line in done.stdout.splitlines() if line] == PRINTED.splitlines()


def test_saver_needs_eager_execution():
    with pytest.raises((RuntimeError, AttributeError), match="eager"):
        tf.contrib.eager.Saver([tf.get_variable("a", [1])])


def test_metrics_need_eager_execution():
    if tf.__version__.startswith("1.15"):
        pytest.skip("the metrics of TensorFlow 1.15 work in graphs too")
    with pytest.raises(RuntimeError, match="use tf.metrics in a graph"):
        tf.contrib.eager.metrics.Mean()


@pytest.mark.needs_layers
def test_sequential_tracks_layers():
    if tf.__version__.startswith("1.15"):
        pytest.skip("checks the errors of legacy_towers")
    eager = tf.contrib.eager
    network = eager.Sequential([tf.layers.Dense(3, name="first"), tf.nn.relu, tf.layers.Dense(2, name="second")])
    assert network(tf.ones([4, 5])).shape.as_list() == [4, 2]
    assert len(network.trainable_variables) == 4 and network.get_layer("second") is network.layers[1]
    with pytest.raises(ValueError, match="No such layer"):
        network.get_layer("third")
    with pytest.raises(TypeError, match="not a tf.layers.Layer"):
        network.track_layer(3)


@pytest.mark.needs_layers
def test_names_of_networks_layers_and_variables():
    eager = tf.contrib.eager

    class MyNet(eager.Network):
        def __init__(self, name=None):
            super(MyNet, self).__init__(name=name)
            self.one, self.two = self.track_layer(tf.layers.Dense(3)), self.track_layer(tf.layers.Dense(3))

        def call(self, inputs):
            return self.one(self.two(inputs))

    class Outer(eager.Network):
        def __init__(self):
            super(Outer, self).__init__()
            self.nets = [self.track_layer(net) for net in (MyNet(), MyNet(), MyNet("own"))]

        def call(self, inputs):
            return sum(net(inputs) for net in self.nets)

    def kernels(network):
        return [variable.op.name for variable in network.variables if "kernel" in variable.name]

    inputs = tf.ones([2, 3])
    tf.layers.dense(inputs, 3)
    first, second, outer, own = MyNet(), MyNet(), Outer(), MyNet("own")
    with tf.variable_scope("scope"):
        inside = MyNet()
    for network in (second, first, first, outer, own, inside):
        network(inputs)
    assert kernels(first) == ["my_net_1/dense/kernel", "my_net_1/dense_1/kernel"]
    assert kernels(second) == ["my_net/dense/kernel", "my_net/dense_1/kernel"]
    assert kernels(outer)[::2] == ["outer/my_net/dense/kernel", "outer/my_net_1/dense/kernel", "outer/own/dense/kernel"]
    assert kernels(own) == ["own/dense/kernel", "own/dense_1/kernel"]
    assert (inside.name, kernels(inside)[0]) == ("scope/my_net", "scope/my_net/dense/kernel")
    assert [layer.name for layer in outer.layers] == ["my_net", "my_net_1", "own"]
    with pytest.raises(ValueError, match="'own' already exists"):
        MyNet("own")(inputs)
