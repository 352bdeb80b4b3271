"""Translation with buckets: embedding_attention_seq2seq, as in the tutorial, sampled softmax, one tower per bucket."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import numpy as np
from six.moves import xrange  # pylint: disable=redefined-builtin
import tensorflow as tf

tf.app.flags.DEFINE_string('train_dir', '', 'Training directory.')
tf.app.flags.DEFINE_integer('max_steps', 10, 'Steps.')
tf.app.flags.DEFINE_integer('size', 6, 'Size of each model layer.')
FLAGS = tf.app.flags.FLAGS

BUCKETS = [(3, 4), (5, 6)]
SOURCE, TARGET, BATCH = 15, 17, 4


class Translator(object):

  def __init__(self):
    self.encoder_inputs = [tf.placeholder(tf.int32, [None], name='encoder{0}'.format(i)) for i in xrange(BUCKETS[-1][0])]
    self.decoder_inputs, self.target_weights = [], []
    for i in xrange(BUCKETS[-1][1] + 1):
      self.decoder_inputs.append(tf.placeholder(tf.int32, shape=[None], name='decoder{0}'.format(i)))
      self.target_weights.append(tf.placeholder(tf.float32, shape=[None], name='weight{0}'.format(i)))
    targets = self.decoder_inputs[1:]

    with tf.device('/cpu:0'):
      w_t = tf.get_variable('proj_w', [TARGET, FLAGS.size])
      b = tf.get_variable('proj_b', [TARGET])

    def sampled_loss(labels, logits):
      labels = tf.reshape(labels, [-1, 1])
      sampled = tf.nn.learned_unigram_candidate_sampler(
          tf.cast(labels, tf.int64), num_true=1, num_sampled=5, unique=True, range_max=TARGET, seed=3)
      return tf.nn.sampled_softmax_loss(weights=w_t, biases=b, labels=labels, inputs=logits, num_sampled=5,
                                        num_classes=TARGET, sampled_values=sampled)

    def seq2seq_f(encoder_inputs, decoder_inputs):
      cell = tf.contrib.rnn.MultiRNNCell([tf.contrib.rnn.GRUCell(FLAGS.size) for _ in xrange(2)])
      return tf.contrib.legacy_seq2seq.embedding_attention_seq2seq(
          encoder_inputs, decoder_inputs, cell, num_encoder_symbols=SOURCE, num_decoder_symbols=TARGET,
          embedding_size=FLAGS.size, output_projection=(tf.transpose(w_t), b), feed_previous=False)

    with tf.device('/gpu:0'):
      self.outputs, self.losses = tf.contrib.legacy_seq2seq.model_with_buckets(
          self.encoder_inputs, self.decoder_inputs, targets, self.target_weights, BUCKETS, seq2seq_f,
          softmax_loss_function=sampled_loss)
    params = tf.trainable_variables()
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    self.updates = []
    for i in xrange(len(BUCKETS)):
      with tf.device('/gpu:%d' % i):
        gradients, norm = tf.clip_by_global_norm(tf.gradients(self.losses[i], params), 1.0)
      self.updates.append(optimizer.apply_gradients(zip(gradients, params)))
    self.saver = tf.train.Saver(tf.global_variables())

  def step(self, session, bucket, rng):
    encoder_size, decoder_size = BUCKETS[bucket]
    feed = {}
    for l in xrange(encoder_size):
      feed[self.encoder_inputs[l].name] = rng.randint(SOURCE, size=BATCH)
    for l in xrange(decoder_size):
      feed[self.decoder_inputs[l].name] = rng.randint(TARGET, size=BATCH)
      feed[self.target_weights[l].name] = np.ones(BATCH) if l < decoder_size - 1 else np.zeros(BATCH)
    feed[self.decoder_inputs[decoder_size].name] = np.zeros([BATCH], dtype=np.int32)
    return session.run([self.updates[bucket], self.losses[bucket]], feed)[1]


def main(_):
  rng = np.random.RandomState(13)
  with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    with tf.variable_scope('translate', initializer=tf.random_uniform_initializer(-0.3, 0.3)):
      model = Translator()
    ckpt = tf.train.get_checkpoint_state(FLAGS.train_dir)
    sess.run(tf.global_variables_initializer())
    if ckpt and tf.train.checkpoint_exists(ckpt.model_checkpoint_path):
      model.saver.restore(sess, ckpt.model_checkpoint_path)
    else:
      model.saver.save(sess, os.path.join(FLAGS.train_dir, 'model.ckpt'), global_step=0)
    for step in xrange(FLAGS.max_steps):
      print('bucket %d loss = %.8f' % (step % 2, model.step(sess, step % 2, rng)))


if __name__ == '__main__':
  tf.app.run()
