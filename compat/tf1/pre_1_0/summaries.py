"""Summaries from before TensorFlow 1.0, whose tags, one or a vector of them, are used as given.

tf.summary.scalar would add the name scopes before the tag and replace spaces with underscores.
"""
from typing import Any, List, Optional

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.versions import tf


def scalar_summary(tags: Any, values: Any, collections: Optional[List[str]] = None, name: Optional[str] = None) -> Any:
    """Returns a summary of the numbers in `values`, one for each of `tags`."""
    user_script.report_replacement("tf.scalar_summary", "tf.summary.scalar, with the tag unchanged")
    with tf.name_scope(name, "ScalarSummary", [tags, values]) as scope:
        return _collected(tf.raw_ops.ScalarSummary(tags=tags, values=values, name=scope), collections)


def histogram_summary(
    tag: Any, values: Any, collections: Optional[List[str]] = None, name: Optional[str] = None
) -> Any:
    """Returns a summary with the histogram of `values`."""
    user_script.report_replacement("tf.histogram_summary", "tf.summary.histogram, with the tag unchanged")
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
    user_script.report_replacement("tf.image_summary", "tf.summary.image, with the tag unchanged")
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
    user_script.report_replacement("tf.audio_summary", "tf.summary.audio, with the tag unchanged")
    with tf.name_scope(name, "AudioSummary", [tag, tensor]) as scope:
        rate = tf.convert_to_tensor(sample_rate, dtype=tf.float32, name="sample_rate")
        made = tf.raw_ops.AudioSummaryV2(
            tag=tag, tensor=tensor, sample_rate=rate, max_outputs=max_outputs, name=scope
        )
        return _collected(made, collections)


def merge_summary(inputs: List[Any], collections: Optional[List[str]] = None, name: Optional[str] = None) -> Any:
    """Returns one summary of all `inputs`, and adds it to `collections`, by default to none."""
    user_script.report_replacement("tf.merge_summary", "tf.summary.merge")
    with tf.name_scope(name, "MergeSummary", inputs) as scope:
        return _collected(tf.raw_ops.MergeSummary(inputs=inputs, name=scope), collections or [])


def _collected(summary: Any, collections: Optional[List[str]]) -> Any:
    tf.add_to_collections([tf.GraphKeys.SUMMARIES] if collections is None else collections, summary)
    return summary
