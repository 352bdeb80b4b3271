"""tf.estimator with a model_fn that replicate_model_fn replicates on two GPUs."""
import argparse
import os

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.WARN)


def model_fn(features, labels, mode, params):
    with tf.variable_scope("dnn"):
        net = tf.feature_column.input_layer(features, params["columns"])
        for units in params["hidden"]:
            net = tf.layers.dense(net, units, activation=tf.nn.sigmoid)
        logits = tf.layers.dense(net, 3, activation=None)
    predicted = tf.argmax(logits, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"class_ids": predicted[:, tf.newaxis], "logits": logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    accuracy = tf.metrics.accuracy(labels=labels, predictions=predicted, name="acc_op")
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": accuracy})
    assert mode == tf.estimator.ModeKeys.TRAIN
    optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdagradOptimizer(learning_rate=0.5))
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(batch=8):
    rng = np.random.RandomState(19)
    features = {"size": rng.rand(40).astype(np.float32), "kind": rng.choice(["a", "b", "c"], size=40)}
    dataset = tf.data.Dataset.from_tensor_slices((features, rng.randint(3, size=40)))
    return dataset.repeat().batch(batch).make_one_shot_iterator().get_next()


class LossHook(tf.train.SessionRunHook):
    def before_run(self, run_context):
        graph = run_context.session.graph
        return tf.train.SessionRunArgs([loss for loss in self.losses(graph)])

    def losses(self, graph):
        return graph.get_collection(tf.GraphKeys.LOSSES)

    def after_run(self, run_context, run_values):
        print("loss = {:.8f}".format(np.mean(run_values.results)))


def main(argv):
    args = parser.parse_args(argv[1:])
    columns = [tf.feature_column.numeric_column("size"),
               tf.feature_column.embedding_column(
                   tf.feature_column.categorical_column_with_vocabulary_list("kind", ["a", "b", "c"]), dimension=2)]
    config = tf.estimator.RunConfig(save_checkpoints_steps=1000, tf_random_seed=1,
                                    session_config=tf.ConfigProto(allow_soft_placement=True))
    classifier = tf.estimator.Estimator(
        model_fn=tf.contrib.estimator.replicate_model_fn(
            model_fn, loss_reduction=tf.losses.Reduction.MEAN, devices=["/gpu:0", "/gpu:1"]),
        model_dir=args.model_dir, config=config, params={"columns": columns, "hidden": [5, 4]})
    classifier.train(input_fn, steps=args.steps, hooks=[LossHook()])
    result = classifier.evaluate(input_fn=input_fn, steps=3)
    print("after {global_step} steps: accuracy {accuracy:.3f}".format(**result))
    first = next(classifier.predict(input_fn))
    print(sorted(first), first["logits"].shape)


parser = argparse.ArgumentParser()
parser.add_argument("--model_dir")
parser.add_argument("--steps", default=10, type=int)

if __name__ == "__main__":
    import sys
    tf.app.run(main, sys.argv)
