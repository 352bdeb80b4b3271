"""TensorFlow's own remarks, kept out of what the command line prints."""
import warnings


def silence_deprecations() -> None:
    """Hides what TensorFlow and tf_keras say of the TF1 API's age: whoever runs a TF1 job knows."""
    from legacy_towers.compat import tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    warnings.filterwarnings("ignore", message=r"`tf\.(layers|nn\.rnn_cell)\.")
    warnings.filterwarnings("ignore", message=r"`tf\.\S+` is deprecated")
