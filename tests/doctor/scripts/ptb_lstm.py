"""PTB language model: unrolled LSTM, range_input_producer, clipped gradients, Supervisor's managed session."""
import numpy as np
import tensorflow as tf

BATCH, STEPS, HIDDEN, VOCAB = 4, 5, 12, 30
raw = np.random.RandomState(0).randint(0, VOCAB, 400)


def ptb_producer(raw_data, name):
    with tf.name_scope(name):
        raw_data = tf.convert_to_tensor(raw_data, name="raw_data", dtype=tf.int32)
        batch_len = len(raw) // BATCH
        data = tf.reshape(raw_data[0:BATCH * batch_len], [BATCH, batch_len])
        epoch_size = (batch_len - 1) // STEPS
        i = tf.train.range_input_producer(epoch_size, shuffle=False).dequeue()
        x = tf.strided_slice(data, [0, i * STEPS], [BATCH, (i + 1) * STEPS])
        x.set_shape([BATCH, STEPS])
        y = tf.strided_slice(data, [0, i * STEPS + 1], [BATCH, (i + 1) * STEPS + 1])
        y.set_shape([BATCH, STEPS])
        return x, y, epoch_size


class PTBModel(object):
    def __init__(self, is_training, name):
        x, y, self.epoch_size = ptb_producer(raw, name)
        cell = tf.contrib.rnn.MultiRNNCell(
            [tf.contrib.rnn.BasicLSTMCell(HIDDEN, forget_bias=0.0, state_is_tuple=True) for _ in range(2)])
        self.initial_state = cell.zero_state(BATCH, tf.float32)
        embedding = tf.get_variable("embedding", [VOCAB, HIDDEN])
        inputs = tf.nn.embedding_lookup(embedding, x)
        if is_training:
            inputs = tf.nn.dropout(inputs, 0.9)
        outputs, state = [], self.initial_state
        with tf.variable_scope("RNN"):
            for step in range(STEPS):
                if step > 0:
                    tf.get_variable_scope().reuse_variables()
                out, state = cell(inputs[:, step, :], state)
                outputs.append(out)
        output = tf.reshape(tf.stack(axis=1, values=outputs), [-1, HIDDEN])
        w = tf.get_variable("softmax_w", [HIDDEN, VOCAB])
        b = tf.get_variable("softmax_b", [VOCAB])
        logits = tf.matmul(output, w) + b
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(y, [-1]), logits=logits)
        self.cost = tf.reduce_sum(loss) / BATCH
        self.final_state = state
        if not is_training:
            return
        self.lr = tf.Variable(0.0, trainable=False)
        tvars = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self.cost, tvars), 5)
        self.train_op = tf.train.GradientDescentOptimizer(self.lr).apply_gradients(
            zip(grads, tvars), global_step=tf.train.get_or_create_global_step())
        self.new_lr = tf.placeholder(tf.float32, shape=[])
        self.lr_update = tf.assign(self.lr, self.new_lr)


def run_epoch(session, model, eval_op=None):
    costs, iters = 0.0, 0
    state = session.run(model.initial_state)
    fetches = {"cost": model.cost, "final_state": model.final_state}
    if eval_op is not None:
        fetches["eval_op"] = eval_op
    for _ in range(8):
        feed = {}
        for i, (c, h) in enumerate(model.initial_state):
            feed[c], feed[h] = state[i].c, state[i].h
        vals = session.run(fetches, feed)
        state = vals["final_state"]
        costs += vals["cost"]
        iters += STEPS
    return np.exp(costs / iters)


with tf.Graph().as_default():
    initializer = tf.random_uniform_initializer(-0.1, 0.1)
    with tf.name_scope("Train"), tf.variable_scope("Model", reuse=None, initializer=initializer):
        m = PTBModel(True, "TrainInput")
    with tf.name_scope("Valid"), tf.variable_scope("Model", reuse=True, initializer=initializer):
        mvalid = PTBModel(False, "ValidInput")
    sv = tf.train.Supervisor(logdir=None)
    with sv.managed_session() as session:
        for i in range(2):
            session.run(m.lr_update, {m.new_lr: 1.0 / (i + 1)})
            print("train %.2f valid %.2f" % (run_epoch(session, m, m.train_op), run_epoch(session, mvalid)))
