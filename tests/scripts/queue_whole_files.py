"""PNG and raw files by WholeFileReader and slice_input_producer, two towers with tf.make_template."""
import argparse
import glob
import os

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--input_dir")
parser.add_argument("--output_dir")
parser.add_argument("--max_steps", type=int, default=10)
parser.add_argument("--ngf", type=int, default=4)
a, unknown = parser.parse_known_args()

SIZE = 16


def load_examples():
    input_paths = sorted(glob.glob(os.path.join(a.input_dir, "*.png")))
    labels = [int(os.path.basename(path).split("_")[0]) for path in input_paths]
    with tf.name_scope("load_images"):
        path_queue = tf.train.string_input_producer(input_paths, shuffle=False)
        reader = tf.WholeFileReader()
        paths, contents = reader.read(path_queue)
        raw_input = tf.image.decode_png(contents)
        raw_input = tf.image.convert_image_dtype(raw_input, dtype=tf.float32)
        assertion = tf.assert_equal(tf.shape(raw_input)[2], 3, message="image does not have 3 channels")
        with tf.control_dependencies([assertion]):
            raw_input = tf.identity(raw_input)
        raw_input.set_shape([None, None, 3])
        r = tf.image.resize_images(raw_input, [SIZE, SIZE], method=tf.image.ResizeMethod.BILINEAR)
        r = tf.image.rgb_to_grayscale(tf.image.central_crop(r, 0.75))

    image_paths = tf.convert_to_tensor(input_paths, dtype=tf.string)
    image_path, label = tf.train.slice_input_producer([image_paths, tf.constant(labels)], shuffle=False)
    again = tf.image.decode_image(tf.read_file(image_path), channels=3)
    mean = tf.reduce_mean(tf.cast(again, tf.float32), keep_dims=True)
    mean = tf.reshape(mean, [1])
    return tf.train.batch([r, label, mean, paths], batch_size=4, num_threads=1)


def tower(images, labels, means):
    net = tf.pad(images, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="CONSTANT")
    w = tf.get_variable("filter", [3, 3, 1, a.ngf], dtype=tf.float32, initializer=tf.random_normal_initializer(0, 0.1))
    net = tf.nn.conv2d(net, w, [1, 2, 2, 1], padding="VALID")
    channels = net.get_shape()[3]
    offset = tf.get_variable("offset", [channels], dtype=tf.float32, initializer=tf.zeros_initializer())
    scale = tf.get_variable("scale", [channels], dtype=tf.float32,
                            initializer=tf.random_normal_initializer(1.0, 0.02))
    mean, variance = tf.nn.moments(net, axes=[0, 1, 2], keep_dims=False)
    net = tf.nn.batch_normalization(net, mean, variance, offset, scale, variance_epsilon=1e-5)
    net = tf.reduce_max(net, reduction_indices=[1, 2])
    net = tf.concat([net, means / 255.0], 1)
    logits = tf.squeeze(tf.contrib.layers.fully_connected(net, 1, activation_fn=None, scope="out"), [1])
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.to_float(labels), logits=logits))


images, labels, means, paths = load_examples()
model = tf.make_template("model", tower)
optimizer = tf.train.AdamOptimizer(0.01, 0.5)
splits = [tf.split(each, 2) for each in (images, labels, means)]
losses, grads = [], []
for i, (x, y, m) in enumerate(zip(*splits)):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
        losses.append(model(x, y, m))
        grads.append(optimizer.compute_gradients(losses[-1]))
ema = tf.train.ExponentialMovingAverage(decay=0.99)
loss = tf.add_n(losses) / 2.0
update_losses = ema.apply([loss])
global_step = tf.contrib.framework.get_or_create_global_step()
incr_global_step = tf.assign(global_step, global_step + 1)
apply_op = optimizer.apply_gradients([((one[0] + two[0]) * 0.5, one[1]) for one, two in zip(*grads)])
train = tf.group(update_losses, incr_global_step, apply_op)

with tf.name_scope("parameter_count"):
    parameter_count = tf.reduce_sum([tf.reduce_prod(tf.shape(v)) for v in tf.trainable_variables()])

saver = tf.train.Saver(max_to_keep=1)
sv = tf.train.Supervisor(logdir=a.output_dir, save_summaries_secs=0, saver=None)
with sv.managed_session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    print("parameter_count =", sess.run(parameter_count))
    checkpoint = tf.train.latest_checkpoint(a.output_dir)
    if checkpoint is not None:
        saver.restore(sess, checkpoint)
    else:
        saver.save(sess, os.path.join(a.output_dir, "model.ckpt"), global_step=0)
    for step in range(a.max_steps):
        if sv.should_stop():
            break
        results = sess.run({"train": train, "global_step": sv.global_step, "loss": loss, "average": ema.average(loss)})
        print("progress step %d loss %s" % (results["global_step"], ""))
        print("loss: %.8f" % results["loss"])
        assert np.isfinite(results["average"])
