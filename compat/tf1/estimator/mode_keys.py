"""The modes of a model function: training, evaluation and prediction."""


class ModeKeys:
    """The modes of an Estimator; the strings are those of TensorFlow 1."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
