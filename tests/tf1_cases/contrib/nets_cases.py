"""Cases of tf.contrib.slim.nets: variables, end points and logits.

To record again, on TensorFlow 1.15, from tests/:

    python -m tf1_cases.contrib.nets_cases
"""
import json
import os

import numpy as np
from tf1_cases import recorded_cases

FILE = os.path.join(recorded_cases.FOLDER, "contrib_nets.npz")


def _resnet(version, **options):
    def build(slim, all_nets, images):
        nets = getattr(all_nets, "resnet_v%d" % version)
        block = getattr(nets, "resnet_v%d_block" % version)
        blocks = [block("block1", 2, 2, 2), block("block2", 4, 2, 1)]
        with slim.arg_scope(all_nets.resnet_utils.resnet_arg_scope(weight_decay=0.01, batch_norm_decay=0.5)):
            net = getattr(nets, "resnet_v%d" % version)
            return net(images, blocks, scope="net", include_root_block=True, **options)

    return build


def _inception(version, **options):
    def build(slim, all_nets, images):
        module = all_nets.inception
        with slim.arg_scope(getattr(module, "inception_v%d_arg_scope" % version)()):
            options.setdefault("num_classes", 3)
            return getattr(module, "inception_v%d" % version)(
                images, dropout_keep_prob=1.0, **options
            )

    return build


def _plain(module, scope, function, **options):
    def build(slim, all_nets, images):
        nets = getattr(all_nets, module)
        with slim.arg_scope(getattr(nets, scope)()):
            return getattr(nets, function)(images, num_classes=3, is_training=False, **options)

    return build


# name -> (image size, whether logits are recorded, function that builds the network)
CASES = {
    "resnet v1": (33, True, _resnet(1, num_classes=3)),
    "resnet v1 dense": (33, True, _resnet(1, num_classes=None, global_pool=False, output_stride=4, is_training=False)),
    "resnet v2": (32, True, _resnet(2, num_classes=3)),
    "resnet v2 inference": (32, True, _resnet(2, num_classes=3, is_training=False)),
    "inception v1": (224, False, _inception(1)),
    "inception v2": (64, True, _inception(2, is_training=False, depth_multiplier=0.05, min_depth=2)),
    "inception v3": (128, True, _inception(3, is_training=False, depth_multiplier=0.05, min_depth=2)),
    "vgg": (224, False, _plain("vgg", "vgg_arg_scope", "vgg_16")),
    "alexnet": (224, False, _plain("alexnet", "alexnet_v2_arg_scope", "alexnet_v2")),
    "overfeat": (231, False, _plain("overfeat", "overfeat_arg_scope", "overfeat", spatial_squeeze=False)),
}


def run(name):
    """Returns (facts, logits) of a network; logits is None if logits are not recorded."""
    from legacy_towers.compat import tf

    size, has_numbers, build = CASES[name]
    with tf.Graph().as_default():
        images = tf.constant(recorded_cases.values([2, size, size, 3], "images", 1.0))
        logits, end_points = build(tf.contrib.slim, recorded_cases.module("tensorflow.contrib.slim.nets"), images)
        facts = {
            "variables": [[each.op.name, each.shape.as_list()] for each in tf.global_variables()],
            "trainable": len(tf.trainable_variables()),
            "end points": {key: str(value.shape) for key, value in sorted(end_points.items())},
            "collections": [len(tf.get_collection(key)) for key in (
                tf.GraphKeys.UPDATE_OPS, tf.GraphKeys.REGULARIZATION_LOSSES, tf.GraphKeys.MODEL_VARIABLES)],
        }  # fmt: skip
        if not has_numbers:
            return facts, None
        begin = [each.assign(_begin(each)) for each in tf.global_variables()]
        with tf.Session() as session:
            session.run(begin)
            return facts, session.run(logits)


def _begin(variable):
    # Scaled so that activations neither vanish nor explode.
    shape = variable.shape.as_list()
    value = recorded_cases.values(shape, variable.op.name, np.sqrt(6.0 / max(1, np.prod(shape[:-1]))))
    if "gamma" in variable.op.name or "variance" in variable.op.name:
        return np.abs(value) + 0.5
    return value if len(shape) > 1 else 0.1 * value


if __name__ == "__main__":
    arrays = {}
    for case in CASES:
        print(case, flush=True)
        found, numbers = run(case)
        arrays[case + "|facts"] = np.frombuffer(json.dumps(found, sort_keys=True).encode(), np.uint8)
        if numbers is not None:
            arrays[case + "|logits"] = numbers
    np.savez_compressed(FILE, **arrays)
