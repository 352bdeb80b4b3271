"""tf.contrib.tensorboard.plugins.projector: writes the configuration of TensorBoard's embedding projector.

Writing projector_config.pbtxt does not need the package tensorboard, which has the same protocol buffers.
"""
import os
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

from legacy_towers.compat.versions import tf

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"]

_FILE_NAME = "projector_config.pbtxt"
_STRING, _MESSAGE, _UINT32, _BOOL = 9, 11, 13, 8  # FieldDescriptorProto.Type
# message -> (field name, number, type, message type, is repeated)
_MESSAGES = {
    "SpriteMetadata": (
        ("image_path", 1, _STRING, None, False),
        ("single_image_dim", 2, _UINT32, None, True),
    ),
    "EmbeddingInfo": (
        ("tensor_name", 1, _STRING, None, False),
        ("metadata_path", 2, _STRING, None, False),
        ("bookmarks_path", 3, _STRING, None, False),
        ("tensor_shape", 4, _UINT32, None, True),
        ("sprite", 5, _MESSAGE, "SpriteMetadata", False),
        ("tensor_path", 6, _STRING, None, False),
    ),
    "ProjectorConfig": (
        ("model_checkpoint_path", 1, _STRING, None, False),
        ("embeddings", 2, _MESSAGE, "EmbeddingInfo", True),
        ("model_checkpoint_dir", 3, _STRING, None, False),
    ),
}


def _message_classes() -> Any:
    """Returns message name -> class, in a separate pool: the process may also load the messages of tensorboard."""
    package = "legacy_towers_projector"
    file = descriptor_pb2.FileDescriptorProto(name=package + ".proto", package=package, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, message_type, is_repeated in fields:
            descriptor = message.field.add(name=field, number=number, type=kind, label=3 if is_repeated else 1)
            if message_type:
                descriptor.type_name = ".{}.{}".format(package, message_type)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file) if not hasattr(pool, "AddSerializedFile") else pool.AddSerializedFile(file.SerializeToString())
    found = {}
    for name in _MESSAGES:
        descriptor = pool.FindMessageTypeByName("{}.{}".format(package, name))
        if hasattr(message_factory, "GetMessageClass"):
            found[name] = message_factory.GetMessageClass(descriptor)
        else:  # protobuf before 4.22
            found[name] = message_factory.MessageFactory(pool).GetPrototype(descriptor)
    return found


_CLASSES = _message_classes()
EmbeddingInfo = _CLASSES["EmbeddingInfo"]
ProjectorConfig = _CLASSES["ProjectorConfig"]
SpriteMetadata = _CLASSES["SpriteMetadata"]


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Writes the ProjectorConfig `config` to the log directory of a tf.summary.FileWriter.

    Raises:
      ValueError: the writer has no directory.
    """
    folder = summary_writer if isinstance(summary_writer, (str, bytes)) else summary_writer.get_logdir()
    if folder is None:
        raise ValueError("Expected writer to have a directory, but got None")
    with tf.gfile.GFile(os.path.join(os.fsdecode(folder), _FILE_NAME), "w") as file:
        file.write(text_format.MessageToString(config))
