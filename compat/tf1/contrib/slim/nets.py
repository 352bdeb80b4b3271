"""tf.contrib.slim.nets: AlexNet, Inception, OverFeat, ResNet, VGG."""
from legacy_towers.compat.tf1.contrib.slim_library.tf_slim.nets import (
    alexnet,
    inception,
    overfeat,
    resnet_utils,
    resnet_v1,
    resnet_v2,
    vgg,
)

__all__ = ["alexnet", "inception", "overfeat", "resnet_utils", "resnet_v1", "resnet_v2", "vgg"]
