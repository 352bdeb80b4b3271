"""tf.contrib.tensorboard.plugins.projector: tells TensorBoard which embeddings to draw.

The package tensorboard has the same messages, and is not needed for writing projector_config.pbtxt.
"""
import os
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

from legacy_towers.compat import tf

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"]

_FILE_NAME = "projector_config.pbtxt"
_STRING, _MESSAGE, _UINT32, _BOOL = 9, 11, 13, 8  # FieldDescriptorProto.Type
# message -> (field, number, type, message of the field, is repeated)
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
    """Returns name -> class, in a pool of their own: tensorboard's own messages may be there too."""
    package = "legacy_towers.projector"
    file = descriptor_pb2.FileDescriptorProto(name=package + ".proto", package=package, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, of_message, is_repeated in fields:
            made = message.field.add(name=field, number=number, type=kind, label=3 if is_repeated else 1)
            if of_message:
                made.type_name = ".{}.{}".format(package, of_message)
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
    """Writes `config` (a ProjectorConfig) beside the event files of the tf.summary.FileWriter `summary_writer`.

    Raises:
      ValueError: the writer has no folder.
    """
    folder = summary_writer if isinstance(summary_writer, (str, bytes)) else summary_writer.get_logdir()
    if folder is None:
        raise ValueError("Expected writer to have a directory, but got None")
    with tf.gfile.GFile(os.path.join(os.fsdecode(folder), _FILE_NAME), "w") as file:
        file.write(text_format.MessageToString(config))
