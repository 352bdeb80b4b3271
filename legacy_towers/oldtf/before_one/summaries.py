"""Summaries from before TensorFlow 1.0: their tags are what the script says, without name scopes; a vector of tags too.

tf.summary.scalar would put the scopes before the tag, and an underscore for each space.
"""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.oldtf import current


def scalar_summary(tags: Any, values: Any, collections: Optional[List[str]] = None, name: Optional[str] = None) -> Any:
    """Returns a summary of `values`, a number for each of `tags`."""
    current.say_once("tf.scalar_summary", "a summary of this tag; since 1.0: tf.summary.scalar")
    with tf.name_scope(name, "ScalarSummary", [tags, values]) as scope:
        return _collected(tf.raw_ops.ScalarSummary(tags=tags, values=values, name=scope), collections)


def histogram_summary(
    tag: Any, values: Any, collections: Optional[List[str]] = None, name: Optional[str] = None
) -> Any:
    """Returns a summary of how the numbers in `values` are distributed."""
    current.say_once("tf.histogram_summary", "a summary of this tag; since 1.0: tf.summary.histogram")
    with tf.name_scope(name, "HistogramSummary", [tag, values]) as scope:
        return _collected(tf.raw_ops.HistogramSummary(tag=tag, values=values, name=scope), collections)


def image_summary(
    tag: Any,
    tensor: Any,
    max_images: int = 3,
    collections: Optional[List[str]] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns a summary of the first `max_images` of `tensor`, [batch, height, width, channels]."""
    current.say_once("tf.image_summary", "a summary of this tag; since 1.0: tf.summary.image")
    with tf.name_scope(name, "ImageSummary", [tag, tensor]) as scope:
        made = tf.raw_ops.ImageSummary(tag=tag, tensor=tensor, max_images=max_images, name=scope)
        return _collected(made, collections)


def audio_summary(
    tag: Any,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Optional[List[str]] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns a summary of the first `max_outputs` of `tensor`, [batch, frames] or [batch, frames, channels]."""
    current.say_once("tf.audio_summary", "a summary of this tag; since 1.0: tf.summary.audio")
    with tf.name_scope(name, "AudioSummary", [tag, tensor]) as scope:
        rate = tf.convert_to_tensor(sample_rate, dtype=tf.float32, name="sample_rate")
        made = tf.raw_ops.AudioSummaryV2(
            tag=tag, tensor=tensor, sample_rate=rate, max_outputs=max_outputs, name=scope
        )
        return _collected(made, collections)


def merge_summary(inputs: List[Any], collections: Optional[List[str]] = None, name: Optional[str] = None) -> Any:
    """Returns one summary of all of `inputs`; it is in no collection but those that are named."""
    current.say_once("tf.merge_summary", "tf.summary.merge")
    with tf.name_scope(name, "MergeSummary", inputs) as scope:
        return _collected(tf.raw_ops.MergeSummary(inputs=inputs, name=scope), collections or [])


def _collected(summary: Any, collections: Optional[List[str]]) -> Any:
    tf.add_to_collections([tf.GraphKeys.SUMMARIES] if collections is None else collections, summary)
    return summary
