"""More small files that the scripts of the corpus read: images of a few pixels, and a few numbers or words.

In the folder are

    train-0000?.tfrecord, valid.tfrecord   tf.train.Example of PNG images of 6 x 6 x 3: image/encoded, image/format,
                                           image/class/label (0 to 2)
    labelled.tfrecord, unlabelled.tfrecord raw images: image_raw (16 bytes), and label (0 or 1) in the former
    shapes.tfrecord               GZIP: height, width, pixels (height x width bytes), boxes (1 or 2 times 4 floats)
    signals-?.tfrecord, signals.tfrecord   signal (4 floats), target (1 float), tags (some of 0 to 2)
    captions-?                    tf.train.SequenceExample: image/data (4 floats), image/caption_ids
    batch_?.bin                   a label and 3 x 4 x 4 bytes
    flowers-?.csv                 a header and 2 floats with a class
    ratings.csv                   user, item, rating
    words.txt                     a sentence in each line
    arrays.npz                    images (20 x 4 x 4 x 1, float32) and labels (0 to 3)
    faces/?.png, faces/?.jpg      6 x 6 and 8 x 8 pixels; faces/png.txt has "NAME LABEL" in each line
"""

import numpy as np
from migrate.corpus.record_files import (
    example_of,
    floats,
    images_of,
    ints,
    path_below,
    sequence_of,
    strings,
    write_records,
)

_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine,", "ten.")


def write(folder):
    """Writes all files into `folder`, from fixed random numbers."""
    random = np.random.RandomState(11)
    for kind in (_images, _raw_images, _shapes, _signals, _captions, _binary, _tables, _words, _arrays, _faces):
        kind(lambda *parts: path_below(folder, *parts), random)


def _images(path, random):
    encoded = images_of(random, 29, 6, 6, 3, "png")
    written = [
        example_of({
            "image/encoded": strings(each), "image/format": strings("png"), "image/class/label": ints(number % 3),
        })
        for number, each in enumerate(encoded)
    ]
    for shard in range(3):
        write_records(path("train-{:05d}.tfrecord".format(shard)), written[7 * shard:7 * shard + 7])
    write_records(path("valid.tfrecord"), written[21:])


def _raw_images(path, random):
    pixels = [each.tobytes() for each in random.randint(0, 256, [22, 16]).astype(np.uint8)]
    write_records(path("labelled.tfrecord"), [
        example_of({"image_raw": strings(each), "label": ints(number % 2)}) for number, each in enumerate(pixels[:9])
    ])
    write_records(path("unlabelled.tfrecord"), [example_of({"image_raw": strings(each)}) for each in pixels[9:]])


def _shapes(path, random):
    written = []
    for number in range(11):
        height, width = (4 + number % 3, 3) if number % 2 else (3, 3 + number % 3)
        written.append(example_of({
            "height": ints(height), "width": ints(width),
            "pixels": strings(random.randint(0, 256, height * width).astype(np.uint8).tobytes()),
            "boxes": floats(*random.rand(4 + 4 * (number % 2))),
        }))
    write_records(path("shapes.tfrecord"), written, "GZIP")


def _signals(path, random):
    written = [
        example_of({
            "signal": floats(*random.randn(4)), "target": floats(number / 7.0), "tags": ints(*range(number % 4)),
        }) for number in range(18)
    ]
    write_records(path("signals.tfrecord"), written[:10])
    write_records(path("signals-1.tfrecord"), written[10:])


def _captions(path, random):
    for shard in range(2):
        write_records(path("captions-{}".format(shard)), [
            sequence_of(
                {"image/data": floats(*random.rand(4))},
                {"image/caption_ids": [ints(each) for each in random.randint(1, 12, 3 + number % 4)]},
            ) for number in range(7)
        ])


def _binary(path, random):
    for number in (1, 2):
        records = random.randint(0, 256, [7 + number, 49]).astype(np.uint8)
        records[:, 0] %= 4
        records.tofile(path("batch_{}.bin".format(number)))


def _tables(path, random):
    for number in range(3):
        with open(path("flowers-{}.csv".format(number)), "w") as file:
            file.write("sepal,petal,kind\n")
            file.write("".join("{:.1f},{:.1f},{}\n".format(*random.rand(2) * 8, n % 3) for n in range(6 + number)))
    with open(path("ratings.csv"), "w") as file:
        file.write("".join("{},{},{}\n".format(n % 5, n * 3 % 7, 1 + random.randint(5)) for n in range(23)))


def _words(path, random):
    with open(path("words.txt"), "w") as file:
        for number in range(17):
            file.write(" ".join(_WORDS[each] for each in random.randint(0, 10, 2 + number % 7)) + "\n")


def _arrays(path, random):
    np.savez(path("arrays.npz"), images=random.rand(20, 4, 4, 1).astype(np.float32), labels=np.arange(20) % 4)


def _faces(path, random):
    listed = []
    for kind, number, size in (("png", 12, 6), ("jpg", 10, 8)):
        for index, encoded in enumerate(images_of(random, number, size, size, 3, {"jpg": "jpeg"}.get(kind, kind))):
            name = "{}.{}".format(index, kind)
            with open(path("faces", name), "wb") as file:
                file.write(encoded)
            if kind == "png":
                listed.append("{} {}\n".format(name, index % 3))
    with open(path("faces", "png.txt"), "w") as file:
        file.write("".join(listed))
