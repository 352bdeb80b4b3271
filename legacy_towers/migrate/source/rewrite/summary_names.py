"""What makes a summary: the names of the API, and the text of code that has one of them."""
import re

_OLD = ("scalar_summary", "image_summary", "histogram_summary", "audio_summary")
_NEW = ("scalar", "image", "histogram", "audio", "text", "tensor_summary")
# Beginnings of the names of whatever concerns summaries, merges included.
STARTS = ("tf.summary.", "tf.contrib.summary.") + tuple("tf." + each for each in _OLD)
# A summary of these is one of any other example as well.
SUMMARIES = tuple("tf.summary." + each for each in _NEW) + tuple("tf." + each for each in _OLD)
IN_CODE = re.compile(
    r"\bsummary[ \t]*\.[ \t]*(?:{})\b|\b(?:{})\b".format("|".join(_NEW), "|".join(_OLD)).encode("ascii"))
