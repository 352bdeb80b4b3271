"""LD507: large feeds that are converted in each step."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject

# Training steps that must have fed the tensor.
STEPS = 8


@check("LD507", "converted-feeds", WARNING, """
Each training step feeds a megabyte or more that is a list, an array of another dtype than the placeholder (NumPy
computes in float64), or an array that is not contiguous, such as a transposed one. `session.run` makes a new array of
it first, in the thread that trains, while the devices wait.

Convert the data once before the loop, `images = np.ascontiguousarray(images, np.float32)`, and make batches as slices
of that. `legacy-towers bottleneck` measures the time that conversion takes.
""")
def converted_feeds(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None:
        return
    for name, feed in sorted(subject.observed.feeds.items()):
        if feed.runs >= STEPS and feed.converted == feed.runs:
            yield subject.evidence(
                feed.tensor.op,
                "each of {} steps feeds {:.1f} MB to {!r} that is {}: it is converted in each step".format(
                    feed.runs, feed.size / 1e6, name, feed.reason),
                "convert the data once before the loop, with np.ascontiguousarray(data, np.{})".format(
                    feed.tensor.dtype.base_dtype.name),
            )
