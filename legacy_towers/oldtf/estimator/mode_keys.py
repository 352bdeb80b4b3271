"""What a model function builds: a graph to train, to evaluate or to predict."""


class ModeKeys:
    """The modes of an Estimator; the strings are those of TensorFlow 1."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
