"""LSTM language model as in the PTB tutorial: range_input_producer, strided_slice, and states that are fed back."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import collections
import os
import time

import numpy as np
import tensorflow as tf

flags = tf.flags
logging = tf.logging

flags.DEFINE_string("model", "small", "A type of model. Possible options are: small, medium.")
flags.DEFINE_string("data_path", None, "Where the training data is stored.")
flags.DEFINE_string("save_path", None, "Model output directory.")
flags.DEFINE_integer("max_steps", 1000, "Steps of an epoch at most.")
FLAGS = flags.FLAGS


def _read_words(filename):
  with tf.gfile.GFile(filename, "r") as f:
    return f.read().replace("\n", "<eos>").split()


def _build_vocab(filename):
  data = _read_words(filename)
  counter = collections.Counter(data)
  count_pairs = sorted(counter.items(), key=lambda x: (-x[1], x[0]))
  words, _ = list(zip(*count_pairs))
  return dict(zip(words, range(len(words))))


def ptb_producer(raw_data, batch_size, num_steps, name=None):
  with tf.name_scope(name, "PTBProducer", [raw_data, batch_size, num_steps]):
    raw_data = tf.convert_to_tensor(raw_data, name="raw_data", dtype=tf.int32)
    data_len = tf.size(raw_data)
    batch_len = data_len // batch_size
    data = tf.reshape(raw_data[0: batch_size * batch_len], [batch_size, batch_len])
    epoch_size = (batch_len - 1) // num_steps
    assertion = tf.assert_positive(epoch_size, message="epoch_size == 0, decrease batch_size or num_steps")
    with tf.control_dependencies([assertion]):
      epoch_size = tf.identity(epoch_size, name="epoch_size")
    i = tf.train.range_input_producer(epoch_size, shuffle=False).dequeue()
    x = tf.strided_slice(data, [0, i * num_steps], [batch_size, (i + 1) * num_steps])
    x.set_shape([batch_size, num_steps])
    y = tf.strided_slice(data, [0, i * num_steps + 1], [batch_size, (i + 1) * num_steps + 1])
    y.set_shape([batch_size, num_steps])
    return x, y


class PTBInput(object):
  def __init__(self, config, data, name=None):
    self.batch_size = batch_size = config.batch_size
    self.num_steps = num_steps = config.num_steps
    self.epoch_size = ((len(data) // batch_size) - 1) // num_steps
    self.input_data, self.targets = ptb_producer(data, batch_size, num_steps, name=name)


class PTBModel(object):
  """The PTB model."""

  def __init__(self, is_training, config, input_):
    self._input = input_
    batch_size = input_.batch_size
    num_steps = input_.num_steps
    size = config.hidden_size
    vocab_size = config.vocab_size

    def lstm_cell():
      return tf.contrib.rnn.BasicLSTMCell(
          size, forget_bias=0.0, state_is_tuple=True, reuse=tf.get_variable_scope().reuse)

    def attn_cell():
      if is_training and config.keep_prob < 1:
        return tf.contrib.rnn.DropoutWrapper(lstm_cell(), output_keep_prob=config.keep_prob)
      return lstm_cell()

    cell = tf.contrib.rnn.MultiRNNCell([attn_cell() for _ in range(config.num_layers)], state_is_tuple=True)
    self._initial_state = cell.zero_state(batch_size, tf.float32)

    with tf.device("/cpu:0"):
      embedding = tf.get_variable("embedding", [vocab_size, size], dtype=tf.float32)
      inputs = tf.nn.embedding_lookup(embedding, input_.input_data)

    outputs = []
    state = self._initial_state
    with tf.variable_scope("RNN"):
      for time_step in range(num_steps):
        if time_step > 0:
          tf.get_variable_scope().reuse_variables()
        (cell_output, state) = cell(inputs[:, time_step, :], state)
        outputs.append(cell_output)

    output = tf.reshape(tf.concat(outputs, 1), [-1, size])
    softmax_w = tf.get_variable("softmax_w", [size, vocab_size], dtype=tf.float32)
    softmax_b = tf.get_variable("softmax_b", [vocab_size], dtype=tf.float32)
    logits = tf.reshape(tf.nn.xw_plus_b(output, softmax_w, softmax_b), [batch_size, num_steps, vocab_size])
    loss = tf.contrib.seq2seq.sequence_loss(
        logits, input_.targets, tf.ones([batch_size, num_steps], dtype=tf.float32),
        average_across_timesteps=False, average_across_batch=True)
    self._cost = cost = tf.reduce_sum(loss)
    self._final_state = state
    if not is_training:
      return

    self._lr = tf.Variable(0.0, trainable=False)
    tvars = tf.trainable_variables()
    grads, _ = tf.clip_by_global_norm(tf.gradients(cost, tvars), config.max_grad_norm)
    optimizer = tf.train.GradientDescentOptimizer(self._lr)
    self._train_op = optimizer.apply_gradients(
        zip(grads, tvars), global_step=tf.contrib.framework.get_or_create_global_step())
    self._new_lr = tf.placeholder(tf.float32, shape=[], name="new_learning_rate")
    self._lr_update = tf.assign(self._lr, self._new_lr)

  def assign_lr(self, session, lr_value):
    session.run(self._lr_update, feed_dict={self._new_lr: lr_value})

  @property
  def input(self):
    return self._input

  @property
  def initial_state(self):
    return self._initial_state

  @property
  def cost(self):
    return self._cost

  @property
  def final_state(self):
    return self._final_state

  @property
  def train_op(self):
    return self._train_op


class SmallConfig(object):
  init_scale = 0.1
  learning_rate = 1.0
  max_grad_norm = 5
  num_layers = 2
  num_steps = 5
  hidden_size = 12
  keep_prob = 1.0
  batch_size = 4
  vocab_size = 30


class MediumConfig(SmallConfig):
  keep_prob = 0.5


def run_epoch(session, model, eval_op=None, verbose=False):
  start_time = time.time()
  costs = 0.0
  iters = 0
  state = session.run(model.initial_state)
  fetches = {"cost": model.cost, "final_state": model.final_state}
  if eval_op is not None:
    fetches["eval_op"] = eval_op

  for step in range(min(model.input.epoch_size, FLAGS.max_steps)):
    feed_dict = {}
    for i, (c, h) in enumerate(model.initial_state):
      feed_dict[c] = state[i].c
      feed_dict[h] = state[i].h
    vals = session.run(fetches, feed_dict)
    cost = vals["cost"]
    state = vals["final_state"]
    costs += cost
    iters += model.input.num_steps
    if verbose:
      print("step %d: loss = %.8f perplexity: %.3f speed: %.0f wps" %
            (step, cost, np.exp(costs / iters), iters * model.input.batch_size / (time.time() - start_time)))
  return np.exp(costs / iters)


def main(_):
  if not FLAGS.data_path:
    raise ValueError("Must set --data_path to the data directory")
  words = os.path.join(FLAGS.data_path, "ptb.train.txt")
  word_to_id = _build_vocab(words)
  train_data = [word_to_id[word] for word in _read_words(words)]
  config = SmallConfig() if FLAGS.model == "small" else MediumConfig()
  config.vocab_size = len(word_to_id)

  with tf.Graph().as_default():
    initializer = tf.random_uniform_initializer(-config.init_scale, config.init_scale)
    with tf.name_scope("Train"):
      train_input = PTBInput(config=config, data=train_data, name="TrainInput")
      with tf.variable_scope("Model", reuse=None, initializer=initializer):
        m = PTBModel(is_training=True, config=config, input_=train_input)
      tf.summary.scalar("Training_Loss", m.cost)

    with tf.name_scope("Valid"):
      valid_input = PTBInput(config=config, data=train_data[:200], name="ValidInput")
      with tf.variable_scope("Model", reuse=True, initializer=initializer):
        mvalid = PTBModel(is_training=False, config=config, input_=valid_input)

    sv = tf.train.Supervisor(logdir=FLAGS.save_path, save_model_secs=0)
    with sv.managed_session() as session:
      if not tf.train.latest_checkpoint(FLAGS.save_path):
        sv.saver.save(session, os.path.join(FLAGS.save_path, "model.ckpt"), global_step=0)
      m.assign_lr(session, config.learning_rate)
      train_perplexity = run_epoch(session, m, eval_op=m.train_op, verbose=True)
      print("Train Perplexity: %.3f" % train_perplexity)
      valid_perplexity = run_epoch(session, mvalid)
      print("Valid Perplexity: %.3f" % valid_perplexity)


if __name__ == "__main__":
  tf.app.run()
