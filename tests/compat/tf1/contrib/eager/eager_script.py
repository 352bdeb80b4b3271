"""A script of 2018 with eager execution, which test_eager.py runs: prints losses."""
from __future__ import absolute_import, division, print_function

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager
random = np.random.RandomState(0)
rows = random.rand(12, 3).astype(np.float32)
labels = random.randint(0, 2, 12)
data = tf.data.Dataset.from_tensor_slices((rows, labels)).repeat().batch(6)
batches = tfe.Iterator(data)
kernel = tfe.Variable(random.rand(3, 2).astype(np.float32), name="kernel")
bias = tfe.Variable(tf.zeros([2]), name="bias")


def model(x):
    return tf.matmul(x, kernel) + bias


def loss_fn(function, x, y):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=function(x), labels=y))


optimizer = tf.train.GradientDescentOptimizer(0.5)
grad = tfe.implicit_gradients(loss_fn)
accuracy = tfe.metrics.Accuracy("accuracy")
mean = tfe.metrics.Mean()
for _ in range(5):
    x, y = batches.next()
    print("loss %.5f" % loss_fn(model, x, y).numpy())
    optimizer.apply_gradients(grad(model, x, y))
    accuracy(tf.argmax(model(x), 1), tf.cast(y, tf.int64))
    mean(loss_fn(model, x, y))
print("accuracy %.5f mean %.5f" % (accuracy.result().numpy(), mean.result().numpy()))
print("square %.3f" % tfe.gradients_function(lambda v: v * v)(3.0)[0].numpy())


class Net(tfe.Network):
    def __init__(self):
        super(Net, self).__init__()
        ones = tf.constant_initializer(0.25)
        self.one = self.track_layer(tf.layers.Dense(4, activation=tf.nn.relu, kernel_initializer=ones))
        self.two = self.track_layer(tf.layers.Dense(2, kernel_initializer=ones))

    def call(self, x):
        return self.two(self.one(x))


net = Net()
value_and_grad = tfe.implicit_value_and_gradients(loss_fn)
for _ in range(3):
    x, y = batches.next()
    value, gradients = value_and_grad(net, x, y)
    optimizer.apply_gradients(gradients)
    print("net %.5f" % value.numpy())
print("variables", len(net.variables), [v.shape.as_list() for v in net.trainable_variables])
saver = tfe.Saver([kernel, bias])
path = saver.save(os.path.join(tempfile.mkdtemp(), "model"))
before = kernel.numpy()
kernel.assign(tf.zeros([3, 2]))
saver.restore(path)
print("restored", np.array_equal(before, kernel.numpy()), tfe.in_eager_mode())


class Total(tfe.metrics.Metric):
    def build(self, values):
        self.total = self.add_variable("total", (), tf.float32, tf.constant_initializer(2.0))

    def call(self, values):
        self.total.assign_add(tf.reduce_sum(values))
        return values

    def result(self):
        return self.total.value()


total = Total()
total(tf.ones([3]))
print("total %.1f" % total.result().numpy())
total.init_variables()
total(tf.ones([1]))
print("again %.1f of %d" % (total.result().numpy(), len(total.variables)))
weighted = tfe.metrics.Mean("weighted")
weighted([1.0, 4.0], [3.0, 1.0])
print("weighted %.3f" % weighted.result().numpy())
right = tfe.metrics.Accuracy("right")
right(tf.constant([1, 2, 3]), tf.constant([1, 2, 2]), weights=tf.constant([1.0, 1.0, 2.0]))
print("right %.3f" % right.result().numpy())


class Holder(tfe.Checkpointable):
    def __init__(self):
        self.held = tfe.Variable(3.0)


def main(_):
    holder = Holder()
    saved = tf.train.Checkpoint(holder=holder).save(os.path.join(tempfile.mkdtemp(), "held"))
    holder.held.assign(5.0)
    with tfe.execution_mode(tfe.ASYNC):
        doubled = holder.held * 2.0
        tfe.async_wait()
    tf.train.Checkpoint(holder=holder).restore(saved)
    tfe.set_execution_mode(tfe.SYNC)
    print("held %.1f doubled %.1f" % (holder.held.numpy(), doubled.numpy()))


tfe.run(main)
