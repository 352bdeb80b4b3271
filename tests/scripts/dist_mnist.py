"""Between-graph replication: parameter servers and workers, asynchronous or with SyncReplicasOptimizer.

python dist_mnist.py --job_name=ps --task_index=0 & python dist_mnist.py --job_name=worker --task_index=0
"""
from __future__ import print_function

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", None, "job name: worker or ps")
flags.DEFINE_integer("task_index", None, "Worker task index, should be >= 0.")
flags.DEFINE_string("ps_hosts", "localhost:2222", "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "localhost:2223,localhost:2224", "Comma-separated list of hostname:port pairs")
flags.DEFINE_boolean("sync_replicas", False, "Use the sync_replicas mode")
flags.DEFINE_integer("replicas_to_aggregate", None, "Gradients of a synchronous step; fewer than workers: a backup")
flags.DEFINE_integer("train_steps", 20, "Number of (global) training steps to perform")
flags.DEFINE_integer("num_gpus", 1, "Total number of gpus for each machine.")
flags.DEFINE_string("train_dir", None, "Checkpoints")
FLAGS = flags.FLAGS


def main(unused_argv):
  if FLAGS.job_name is None or FLAGS.job_name == "":
    raise ValueError("Must specify an explicit `job_name`")
  ps_spec = FLAGS.ps_hosts.split(",")
  worker_spec = FLAGS.worker_hosts.split(",")
  num_workers = len(worker_spec)
  cluster = tf.train.ClusterSpec({"ps": ps_spec, "worker": worker_spec})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()

  is_chief = (FLAGS.task_index == 0)
  if FLAGS.num_gpus > 0:
    gpu = (FLAGS.task_index % FLAGS.num_gpus)
    worker_device = "/job:worker/task:%d/gpu:%d" % (FLAGS.task_index, gpu)
  else:
    worker_device = "/job:worker/task:%d/cpu:%d" % (FLAGS.task_index, 0)

  with tf.device(tf.train.replica_device_setter(worker_device=worker_device, ps_device="/job:ps/cpu:0",
                                                cluster=cluster)):
    global_step = tf.Variable(0, name="global_step", trainable=False)
    hid_w = tf.Variable(tf.truncated_normal([12, 8], stddev=1.0 / 12, seed=1), name="hid_w")
    hid_b = tf.Variable(tf.zeros([8]), name="hid_b")
    sm_w = tf.Variable(tf.truncated_normal([8, 3], stddev=1.0 / 8, seed=2), name="sm_w")
    sm_b = tf.Variable(tf.zeros([3]), name="sm_b")
    x = tf.placeholder(tf.float32, [None, 12])
    y_ = tf.placeholder(tf.float32, [None, 3])
    hid = tf.nn.relu(tf.nn.xw_plus_b(x, hid_w, hid_b))
    y = tf.nn.softmax(tf.nn.xw_plus_b(hid, sm_w, sm_b))
    cross_entropy = -tf.reduce_sum(y_ * tf.log(tf.clip_by_value(y, 1e-10, 1.0)))

    opt = tf.train.AdamOptimizer(0.01)
    if FLAGS.sync_replicas:
      opt = tf.train.SyncReplicasOptimizer(opt, replicas_to_aggregate=FLAGS.replicas_to_aggregate or num_workers,
                                           total_num_replicas=num_workers, name="mnist_sync_replicas")
    train_step = opt.minimize(cross_entropy, global_step=global_step)

    if FLAGS.sync_replicas:
      local_init_op = opt.local_step_init_op
      if is_chief:
        local_init_op = opt.chief_init_op
      ready_for_local_init_op = opt.ready_for_local_init_op
      chief_queue_runner = opt.get_chief_queue_runner()
      sync_init_op = opt.get_init_tokens_op()
      # Only the chief's queue runner applies gradients, so the chief must not end while a worker waits for a step.
      with tf.device("/job:ps/task:0"):
        done_queue = tf.FIFOQueue(num_workers, tf.int32, shapes=[[]], shared_name="done_queue")
      done_op = done_queue.dequeue_many(num_workers - 1) if is_chief else done_queue.enqueue(FLAGS.task_index)

    init_op = tf.global_variables_initializer()
    if FLAGS.sync_replicas:
      sv = tf.train.Supervisor(is_chief=is_chief, logdir=FLAGS.train_dir, init_op=init_op,
                               local_init_op=local_init_op, ready_for_local_init_op=ready_for_local_init_op,
                               recovery_wait_secs=1, global_step=global_step)
    else:
      sv = tf.train.Supervisor(is_chief=is_chief, logdir=FLAGS.train_dir, init_op=init_op,
                               recovery_wait_secs=1, global_step=global_step)

    sess_config = tf.ConfigProto(
        allow_soft_placement=True, log_device_placement=False,
        device_filters=["/job:ps", "/job:worker/task:%d" % FLAGS.task_index])
    if is_chief:
      print("Worker %d: Initializing session..." % FLAGS.task_index)
    else:
      print("Worker %d: Waiting for session to be initialized..." % FLAGS.task_index)
    sess = sv.prepare_or_wait_for_session(server.target, config=sess_config)
    print("Worker %d: Session initialization complete." % FLAGS.task_index)
    if FLAGS.sync_replicas and is_chief:
      sess.run(sync_init_op)
      sv.start_queue_runners(sess, [chief_queue_runner])

    random = np.random.RandomState(FLAGS.task_index)
    local_step = 0
    while True:
      labels = random.randint(3, size=10)
      train_feed = {x: random.rand(10, 12) + labels[:, None], y_: np.eye(3)[labels]}
      _, step, loss = sess.run([train_step, global_step, cross_entropy], feed_dict=train_feed)
      local_step += 1
      print("Worker %d: training step %d done (global step: %d) loss = %.8f" %
            (FLAGS.task_index, local_step, step, loss))
      if step >= FLAGS.train_steps:
        break
    if FLAGS.sync_replicas:
      sess.run(done_op)
    print("Worker %d: finished" % FLAGS.task_index)


if __name__ == "__main__":
  tf.app.run()
