"""Prints the device of each op: a matrix product on each of two devices, and their sum on the CPU.

    python examples/placement.py                                     two logical CPU devices
    python examples/placement.py --devices /gpu:0,/gpu:1             two GPUs
    python examples/placement.py --devices /cpu:0,/gpu:7             a missing device: an error
    python examples/placement.py --devices /cpu:0,/gpu:7 --soft-placement
                                                                     TensorFlow moves the op, as the table shows
"""
import argparse
import sys
import warnings

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import UserError


def build(devices):
    """Returns the sum of one product per device, in the default graph."""
    products = []
    for tower, device in enumerate(devices):
        with tf.device(device), tf.name_scope("tower_{}".format(tower)):
            a = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], name="a")
            b = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="b")
            products.append(tf.matmul(a, b, name="product"))
    with tf.device("/cpu:0"):
        return tf.add_n(products, name="sum")


def show(devices, logical_cpus, soft_placement):
    """Runs the sum and prints where each op ran."""
    for device in devices:
        lt.devices.canonical(device)  # raises an error for an invalid device string
    # Without these two options, TensorFlow would compute the products of constants beforehand.
    config = lt.session_config(logical_cpus=logical_cpus, soft_placement=soft_placement, grappler=False)
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    with tf.Graph().as_default():
        total = build(devices)
        with tf.Session(config=config) as session:
            lt.devices.check_session(session, devices)
            print(lt.placement(session, total))
            print("\nsum:\n{}".format(session.run(total)))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", default="/cpu:0,/cpu:1", help="one per product, comma-separated (%(default)s)")
    parser.add_argument("--logical-cpus", type=int, default=2, help="CPU devices of the session (%(default)s)")
    parser.add_argument("--soft-placement", action="store_true", help="let TensorFlow move ops to other devices")
    options = parser.parse_args(arguments)
    # Warnings in one line, without the line of source code.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_: print("warning: {}".format(message), file=sys.stderr)
        try:
            show(options.devices.split(","), options.logical_cpus, options.soft_placement)
        except UserError as error:
            print("error: {}".format(error), file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
