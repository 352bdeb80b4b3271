# multi gpu, one input queue; each gpu dequeues its own share
import os, sys
import tensorflow as tf

gpus = ['/gpu:0', '/gpu:1', '/gpu:2']
per_gpu = 2


def record():
    fq = tf.train.string_input_producer(tf.train.match_filenames_once(os.path.join(sys.argv[1], 'train-*.tfrecord')))
    _, s = tf.TFRecordReader().read(fq)
    f = tf.parse_single_example(s, features={'image/encoded': tf.FixedLenFeature([], tf.string),
                                             'image/class/label': tf.FixedLenFeature([], tf.int64)})
    im = tf.image.resize_images(tf.image.decode_png(f['image/encoded'], 3), [5, 5])
    im.set_shape([5, 5, 3])
    return im, f['image/class/label']


def model(x, reuse):
    with tf.variable_scope('model', reuse=reuse):
        h = tf.layers.conv2d(x, 3, 3, activation=tf.nn.relu, name='c1')
        h = tf.layers.flatten(h)
        return tf.layers.dense(h, 3, name='out')


with tf.device('/cpu:0'):
    im, lab = record()
    q = tf.RandomShuffleQueue(60, 12, [tf.float32, tf.int64], [[5, 5, 3], []], seed=None, name='examples')
    tf.train.add_queue_runner(tf.train.QueueRunner(q, [q.enqueue([im, lab])] * 2))
    opt = tf.train.AdamOptimizer(1e-3)
    grads, losses = [], []
    for n, gpu in enumerate(gpus):
        with tf.device(gpu):
            x, y = q.dequeue_many(per_gpu)
            l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=model(x, n > 0)))
            losses.append(l)
            grads.append(opt.compute_gradients(l))
    mean = []
    for gv in zip(*grads):
        mean.append((tf.reduce_mean(tf.stack([g for g, _ in gv]), 0), gv[0][1]))
    train = opt.apply_gradients(mean)
    loss = tf.add_n(losses) / len(gpus)

config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
with tf.Session(config=config) as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coord = tf.train.Coordinator()
    ts = tf.train.start_queue_runners(sess=sess, coord=coord)
    for it in range(5):
        v, _ = sess.run([loss, train])
    print('iterations %d, finite %s' % (it + 1, v < 1e9))
    coord.request_stop()
    coord.join(ts)
