"""An encoder and a tf.contrib.seq2seq decoder with attention, two towers; a beam search with the trained weights."""
import argparse
import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import seq2seq
from tensorflow.contrib.rnn import DropoutWrapper, LSTMCell, MultiRNNCell, ResidualWrapper
from tensorflow.python.layers import core as layers_core

parser = argparse.ArgumentParser()
parser.add_argument("--out_dir", required=True)
parser.add_argument("--steps", type=int, default=10)
hparams = tf.contrib.training.HParams(num_units=6, src_vocab=12, tgt_vocab=11, beam_width=3, sos=1, eos=2,
                                      max_gradient_norm=5.0)


class Model(object):
    def __init__(self, source, lengths, target_in=None, target_out=None, target_lengths=None, mode="train"):
        with tf.variable_scope("nmt", reuse=tf.AUTO_REUSE, initializer=tf.random_uniform_initializer(-0.2, 0.2)):
            emb_enc = tf.get_variable("emb_enc", [hparams.src_vocab, hparams.num_units])
            self.emb_dec = tf.get_variable("emb_dec", [hparams.tgt_vocab, hparams.num_units])
            cell = MultiRNNCell([DropoutWrapper(LSTMCell(hparams.num_units), input_keep_prob=1.0),
                                 ResidualWrapper(LSTMCell(hparams.num_units))])
            memory, state = tf.nn.dynamic_rnn(cell, tf.nn.embedding_lookup(emb_enc, source), lengths,
                                              dtype=tf.float32, scope="encoder")
            projection = layers_core.Dense(hparams.tgt_vocab, use_bias=False, name="output_projection")
            batch = tf.shape(source)[0]
            with tf.variable_scope("decoder") as scope:
                if mode == "infer":
                    memory = seq2seq.tile_batch(memory, multiplier=hparams.beam_width)
                    lengths = seq2seq.tile_batch(lengths, multiplier=hparams.beam_width)
                    state = seq2seq.tile_batch(state, multiplier=hparams.beam_width)
                attention = seq2seq.BahdanauAttention(hparams.num_units, memory, memory_sequence_length=lengths,
                                                      normalize=True)
                decoder_cell = MultiRNNCell([LSTMCell(hparams.num_units) for _ in range(2)])
                decoder_cell = seq2seq.AttentionWrapper(decoder_cell, attention, attention_layer_size=5,
                                                        alignment_history=(mode == "train"), name="attention")
                size = batch * (hparams.beam_width if mode == "infer" else 1)
                start = decoder_cell.zero_state(size, tf.float32).clone(cell_state=state)
                if mode == "train":
                    helper = seq2seq.TrainingHelper(tf.nn.embedding_lookup(self.emb_dec, target_in), target_lengths)
                    decoder = seq2seq.BasicDecoder(decoder_cell, helper, start, output_layer=projection)
                    outputs, last, _ = seq2seq.dynamic_decode(decoder, swap_memory=True, scope=scope)
                    steps = tf.shape(outputs.rnn_output)[1]
                    weights = tf.sequence_mask(target_lengths, steps, dtype=tf.float32)
                    self.loss = seq2seq.sequence_loss(outputs.rnn_output, target_out[:, :steps], weights)
                    self.alignment = tf.transpose(last.alignment_history.stack(), [1, 2, 0])
                else:
                    decoder = seq2seq.BeamSearchDecoder(
                        decoder_cell, self.emb_dec, tf.fill([batch], hparams.sos), hparams.eos, start,
                        hparams.beam_width, output_layer=projection, length_penalty_weight=0.6)
                    outputs, _, self.lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=6, scope=scope)
                    self.sample_id = outputs.predicted_ids


def batches():
    rng = np.random.RandomState(14)
    while True:
        lengths, target_lengths = rng.randint(2, 6, size=8), rng.randint(2, 7, size=8)
        target = rng.randint(3, hparams.tgt_vocab, size=[8, 6])
        yield (rng.randint(3, hparams.src_vocab, size=[8, 5]), lengths,
               np.concatenate([np.full([8, 1], hparams.sos), target[:, :-1]], 1), target, target_lengths)


def main(unused_argv):
    placeholders = [tf.placeholder(tf.int32, shape) for shape in ([None, None], [None], [None, None], [None, None], [None])]
    shards = zip(*[tf.split(each, 2) for each in placeholders])
    models = []
    for i, shard in enumerate(shards):
        with tf.device("/gpu:%d" % i):
            models.append(Model(*shard))
    with tf.device("/gpu:0"):
        inference = Model(placeholders[0], placeholders[1], mode="infer")
    optimizer = tf.train.AdamOptimizer(0.1)
    params = tf.trainable_variables()
    gradients = []
    for model in models:
        grads, norm = tf.clip_by_global_norm(tf.gradients(model.loss, params), hparams.max_gradient_norm)
        gradients.append([tf.convert_to_tensor(g) for g in grads])
    train = optimizer.apply_gradients([(tf.add_n(g) / 2, v) for g, v in zip(zip(*gradients), params)])
    loss = tf.reduce_mean([model.loss for model in models])

    saver = tf.train.Saver(params)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        latest = tf.train.latest_checkpoint(FLAGS.out_dir)
        if latest:
            saver.restore(sess, latest)
        else:
            saver.save(sess, os.path.join(FLAGS.out_dir, "model.ckpt"), global_step=0)
        for step, batch in zip(range(FLAGS.steps), batches()):
            feed = dict(zip(placeholders, batch))
            _, value, alignment = sess.run([train, loss, models[0].alignment], feed)
            assert alignment.shape[:2] == (4, 5)
            print("step %d loss = %.8f" % (step, value))
        print("best:", sess.run(inference.sample_id, feed)[0, :, 0])


if __name__ == "__main__":
    FLAGS, unparsed = parser.parse_known_args()
    tf.app.run(main=main, argv=[parser.prog] + unparsed)
