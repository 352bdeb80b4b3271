"""Spots keywords: WAV files, with the word in the file name, become spectrograms."""
import glob
import sys

import tensorflow as tf
from tensorflow.contrib.framework.python.ops import audio_ops as contrib_audio

WORDS = ['yes', 'no']
SAMPLES = 160


def spectrogram(content):
    decoder = contrib_audio.decode_wav(content, desired_channels=1, desired_samples=SAMPLES)
    background = tf.random_normal([SAMPLES, 1], stddev=0.01)
    shifted = tf.clip_by_value(decoder.audio + background, -1.0, 1.0)
    spec = contrib_audio.audio_spectrogram(shifted, window_size=64, stride=32, magnitude_squared=True)
    return tf.log(tf.squeeze(spec, 0) + 1e-6)


def word_index(path):
    name = tf.string_split([path], '_').values[-1]
    return tf.to_int32(tf.equal(name, 'no.wav'))


def fingerprints(wav_files, batch_size):
    queue = tf.train.string_input_producer(wav_files, shuffle=True)
    path, content = tf.WholeFileReader().read(queue)
    features = spectrogram(content)
    features.set_shape([4, 33])
    return tf.train.shuffle_batch([features, word_index(path)], batch_size, capacity=24, min_after_dequeue=6)


features, truth = fingerprints(glob.glob(sys.argv[1] + '/sounds/*.wav'), 3)
logits = tf.layers.dense(tf.reshape(features, [-1, 4 * 33]), len(WORDS))
with tf.name_scope('cross_entropy'):
    cross_entropy = tf.losses.sparse_softmax_cross_entropy(labels=truth, logits=logits)
train_step = tf.train.GradientDescentOptimizer(0.001).minimize(cross_entropy)
sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
coordinator = tf.train.Coordinator()
tf.train.start_queue_runners(sess, coordinator)
for step in range(4):
    value, _ = sess.run([cross_entropy, train_step])
    tf.logging.info('Step #%d: cross entropy %f', step, value)
coordinator.request_stop()
print('finished')
