"""Loads SavedModels with TensorFlow alone: load_saved_models.py INPUTS.npz OUTPUTS.npz DIR...

Each is loaded into a session, and on TensorFlow 2 also by tf.saved_model.load in eager mode. An array of the inputs has
the name of an input of the models, which may have fewer. The arrays of the outputs are named "DIR session NAME" and
"DIR eager NAME". A failure is an entry "DIR eager error" with the message.
"""
import sys

import numpy as np
import tensorflow as tf


def main(inputs, outputs, directories):
    with np.load(inputs) as loaded:
        arrays = {name: loaded[name] for name in loaded}
    found = {}
    for directory in directories:
        for kind, load in (("session", in_session), ("eager", in_eager_mode)):
            if kind == "eager" and tf.__version__.startswith("1."):
                continue
            try:
                results = load(directory, arrays)
            except Exception as error:
                results = {"error": np.array("{}: {}".format(type(error).__name__, error))}
            for name, value in results.items():
                plain = np.array(value.tolist()) if value.dtype == object else value  # strings
                found["{} {} {}".format(directory, kind, name)] = plain
    np.savez(outputs, **found)


def in_session(directory, arrays):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        meta = v1.saved_model.load(session, ["serve"], directory)
        signature = meta.signature_def["serving_default"]
        feed = {}
        for name, info in signature.inputs.items():
            feed[info.name] = arrays[name]
        return session.run({name: info.name for name, info in signature.outputs.items()}, feed)


def in_eager_mode(directory, arrays):
    model = tf.saved_model.load(directory).signatures["serving_default"]
    _, wanted = model.structured_input_signature
    given = {name: tf.constant(arrays[name], spec.dtype) for name, spec in wanted.items()}
    return {name: value.numpy() for name, value in model(**given).items()}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
