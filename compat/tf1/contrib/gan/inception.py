"""Runs images through a frozen classifier, by default the Inception graph that TensorFlow offers for download."""
import os
import tarfile
import urllib.error
import urllib.request
from typing import Any, Callable, Optional

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.versions import tf

INCEPTION_URL = "http://download.tensorflow.org/models/frozen_inception_v1_2015_12_05.tar.gz"
INCEPTION_FROZEN_GRAPH = "inceptionv1_for_inception_score.pb"
INCEPTION_INPUT = "Mul:0"
INCEPTION_OUTPUT = "logits:0"
INCEPTION_FINAL_POOL = "pool_3:0"
INCEPTION_DEFAULT_IMAGE_SIZE = 299


def preprocess_image(
    images: Any,
    height: int = INCEPTION_DEFAULT_IMAGE_SIZE,
    width: int = INCEPTION_DEFAULT_IMAGE_SIZE,
    scope: Optional[str] = None,
) -> Any:
    """Resizes images, [height, width, channels] or a batch of them, and maps their values from [0, 255] to [-1, 1]."""
    is_single = images.shape.ndims == 3
    with tf.name_scope(scope, "preprocess", [images, height, width]):
        if not images.dtype.is_floating:
            images = tf.cast(images, tf.float32)
        if is_single:
            images = tf.expand_dims(images, axis=0)
        resized = (tf.image.resize_bilinear(images, [height, width]) - 128.0) / 128.0
        return tf.squeeze(resized, axis=0) if is_single else resized


def get_graph_def_from_disk(filename: str) -> Any:
    """Returns the GraphDef in a file."""
    with tf.gfile.GFile(filename, "rb") as file:
        return tf.GraphDef.FromString(file.read())


def get_graph_def_from_resource(filename: str) -> Any:
    """Returns the GraphDef in a file whose path is relative to the folder of TensorFlow."""
    return tf.GraphDef.FromString(tf.resource_loader.load_resource(filename))


def get_graph_def_from_url_tarball(url: str, filename: str, tar_filename: Optional[str] = None) -> Any:
    """Returns the GraphDef in the file `filename` of an archive.

    Args:
      url: where the archive is downloaded from, unless the file `tar_filename` exists.
      filename: the file in the archive.
      tar_filename: where the archive is kept; None for a temporary file.

    Raises:
      OSError: the archive can't be downloaded, or does not have the file.
    """
    if not (tar_filename and os.path.exists(tar_filename)):
        try:
            downloaded, _ = urllib.request.urlretrieve(url, tar_filename and tar_filename + ".part")
        except (OSError, urllib.error.URLError) as error:
            raise OSError(
                "{} can't be downloaded: {}. Put the archive into the working directory as {}, or pass a graph_def, "
                "such as get_graph_def_from_disk(path)".format(url, error, os.path.basename(url))
            ) from error
        if tar_filename:
            os.replace(downloaded, tar_filename)
        else:
            tar_filename = downloaded
    with tarfile.open(tar_filename, "r:gz") as archive:
        try:
            member = archive.extractfile(filename)
        except KeyError:
            member = None
        if member is None:
            raise OSError("{} is not a file of {}".format(filename, tar_filename))
        return tf.GraphDef.FromString(member.read())


def _default_graph_def() -> Any:
    return get_graph_def_from_url_tarball(INCEPTION_URL, INCEPTION_FROZEN_GRAPH, os.path.basename(INCEPTION_URL))


def run_inception(
    images: Any,
    graph_def: Any = None,
    default_graph_def_fn: Optional[Callable[[], Any]] = _default_graph_def,
    image_size: int = INCEPTION_DEFAULT_IMAGE_SIZE,
    input_tensor: str = INCEPTION_INPUT,
    output_tensor: Any = INCEPTION_OUTPUT,
) -> Any:
    """Runs images through a frozen Inception graph.

    Args:
      images: [batch, image_size, image_size, channels], in [-1, 1].
      graph_def: the graph; by default what `default_graph_def_fn` returns.
      default_graph_def_fn: by default reads `INCEPTION_URL` once into the working directory.
      image_size: the height and width that `images` must have.
      input_tensor: the name of the input tensor in the graph.
      output_tensor: the name, or a list of names, of output tensors.

    Returns:
      the flattened output, [batch, n], or a list of them.

    Raises:
      ValueError: images have another size, or there is no graph.
    """
    images = tf.convert_to_tensor(images)
    images.shape.with_rank(4)
    images.shape.assert_is_compatible_with([None, image_size, image_size, None])
    if graph_def is None:
        if default_graph_def_fn is None:
            raise ValueError("If `graph_def` is `None`, must provide `default_graph_def_fn`.")
        graph_def = default_graph_def_fn()
    activations = run_image_classifier(images, graph_def, input_tensor, output_tensor)
    flatten = script_api.module("tensorflow.contrib.layers").flatten
    return [flatten(each) for each in activations] if isinstance(activations, list) else flatten(activations)


def run_image_classifier(
    tensor: Any, graph_def: Any, input_tensor: str, output_tensor: Any, scope: str = "RunClassifier"
) -> Any:
    """Runs `tensor` through a frozen graph.

    Args:
      tensor: the input.
      graph_def: the graph.
      input_tensor: the name of the input tensor in the graph.
      output_tensor: the name, or a list of names, of output tensors.
      scope: the name scope of the operations.

    Returns:
      the output tensor, or a list of them.
    """
    names = [output_tensor] if isinstance(output_tensor, str) else output_tensor
    outputs = tf.import_graph_def(graph_def, {input_tensor: tensor}, names, name=scope)
    return outputs[0] if isinstance(output_tensor, str) else outputs
