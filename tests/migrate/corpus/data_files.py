"""The small files that the scripts of the corpus read, in the layouts of well-known data sets.

Below the folder are

    records/train-0000?-of-00003, records/validation-00000-of-00001
                                  tf.train.Example of JPEG images: image/encoded, image/height, image/width,
                                  image/filename, image/class/label (1 to 3), image/class/text, image/object/bbox/*
    digits/{train,test}.tfrecords raw images: image_raw (28 x 28 uint8), label, height, width, depth
    digits/train.tfrecords.gz     the same records, compressed by GZIP; digits/train.zlib by ZLIB
    digits/{train,t10k}-images-idx3-ubyte, digits/{train,t10k}-labels-idx1-ubyte   with headers of 16 and 8 bytes
    cifar/data_batch_?.bin, cifar/test_batch.bin    a label and 3 x 32 x 32 bytes
    cifar100/train.bin            two labels and 3 x 32 x 32 bytes
    captions/train-?.tfrecords    tf.train.SequenceExample: image/data, image/image_id, image/caption_ids
    speech/utterances-?.tfrecords SequenceExample: speaker, frames (13 floats each), phones
    clicks/part-?.tfrecords       Example: click, ids and values of variable length, age, and campaign, which few have
    video/clip_?.bin              frames of 8 x 8 x 3 bytes
    iris/iris_training.csv, iris/iris_test.csv      a header and 4 floats with a class
    census/part-?.csv             age, job, hours, income: no header, some fields are empty
    text/corpus.txt, text/vocabulary.txt, text/train.{en,fr}, text/tweets.tsv
    photos/{daisy,rose,tulip}/?.jpg, photos/labels.txt, photos/train.txt ("PATH LABEL" in each line)
    roads/images/?.png, roads/masks/?.png, roads/pairs.txt ("IMAGE MASK" in each line)
    sounds/?_LABEL.wav            16-bit mono at 8 kHz
    features/?.npy                float32, 6 x 4
"""
import csv
import io
import os
import struct
import wave

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

FLOWERS = ("daisy", "rose", "tulip")
WORDS = ("the", "cat", "sat", "on", "a", "mat", "and", "saw", "two", "birds")


def write(folder):
    """Writes all files below `folder`, from fixed random numbers."""
    random = np.random.RandomState(7)
    for kind in (
        _records, _digits, _cifar, _captions, _speech, _clicks, _video, _iris, _census, _text, _photos, _roads, _sounds,
        _features,
    ):
        kind(lambda *parts: path_below(folder, *parts), random)


def _records(path, random):
    def example(number, encoded):
        kind = number % 3
        return example_of({
            "image/encoded": strings(encoded), "image/format": strings("JPEG"), "image/colorspace": strings("RGB"),
            "image/height": ints(24), "image/width": ints(20), "image/channels": ints(3),
            "image/filename": strings("{:04d}.jpg".format(number)),
            "image/class/label": ints(kind + 1), "image/class/text": strings(FLOWERS[kind]),
            "image/object/bbox/xmin": floats(*[0.1] * kind), "image/object/bbox/xmax": floats(*[0.7] * kind),
            "image/object/bbox/ymin": floats(*[0.2] * kind), "image/object/bbox/ymax": floats(*[0.9] * kind),
            "image/object/bbox/label": ints(*[kind + 1] * kind),
        })

    images = images_of(random, 24, 24, 20, 3, "jpeg")
    examples = [example(number, encoded) for number, encoded in enumerate(images)]
    for shard, (begin, end) in enumerate([(0, 5), (5, 11), (11, 18)]):
        write_records(path("records", "train-{:05d}-of-00003".format(shard)), examples[begin:end])
    write_records(path("records", "validation-00000-of-00001"), examples[18:])


def _digits(path, random):
    for name, idx, number in (("train", "train", 20), ("test", "t10k", 7)):
        pixels = random.randint(0, 256, [number, 28, 28]).astype(np.uint8)
        labels = random.randint(0, 10, number).astype(np.uint8)
        examples = [
            example_of({
                "image_raw": strings(image.tobytes()), "label": ints(label), "height": ints(28), "width": ints(28),
                "depth": ints(1),
            }) for image, label in zip(pixels, labels)
        ]
        write_records(path("digits", name + ".tfrecords"), examples)
        if name == "train":
            write_records(path("digits", "train.tfrecords.gz"), examples, "GZIP")
            write_records(path("digits", "train.zlib"), examples, "ZLIB")
        with open(path("digits", idx + "-images-idx3-ubyte"), "wb") as file:
            file.write(struct.pack(">4i", 2051, number, 28, 28) + pixels.tobytes())
        with open(path("digits", idx + "-labels-idx1-ubyte"), "wb") as file:
            file.write(struct.pack(">2i", 2049, number) + labels.tobytes())


def _cifar(path, random):
    def records(number, labels):
        return random.randint(0, 256, [number, labels + 3 * 32 * 32]).astype(np.uint8) % np.uint8(10)

    for number in range(1, 6):
        records(3 + number % 2, 1).tofile(path("cifar", "data_batch_{}.bin".format(number)))
    records(6, 1).tofile(path("cifar", "test_batch.bin"))
    records(9, 2).tofile(path("cifar100", "train.bin"))


def _captions(path, random):
    images = images_of(random, 9, 16, 16, 3, "jpeg")
    examples = [
        sequence_of(
            {"image/data": strings(encoded), "image/image_id": ints(1000 + number)},
            {"image/caption_ids": [ints(each) for each in random.randint(1, 30, 3 + number % 4)],
             "image/caption": [strings(WORDS[each]) for each in random.randint(0, len(WORDS), 3 + number % 4)]},
        ) for number, encoded in enumerate(images)
    ]
    for shard in range(2):
        write_records(path("captions", "train-{}.tfrecords".format(shard)), examples[shard::2])


def _speech(path, random):
    for shard in range(2):
        write_records(path("speech", "utterances-{}.tfrecords".format(shard)), [
            sequence_of(
                {"speaker": ints(number % 4)},
                {"frames": [floats(*row) for row in random.randn(4 + number % 5, 13)],
                 "phones": [ints(each) for each in random.randint(1, 20, 2 + number % 3)]},
            ) for number in range(shard, 12, 2)
        ])


def _clicks(path, random):
    for shard in range(3):
        examples = []
        for number in range(6 + shard):
            features = {
                "click": floats(number % 2), "age": floats(20 + number),
                "ids": ints(*random.randint(0, 50, number % 4)), "values": floats(*random.rand(number % 4)),
            }
            if number % 3 == 0:
                features["campaign"] = strings("campaign{}".format(shard))
            examples.append(example_of(features))
        write_records(path("clicks", "part-{}.tfrecords".format(shard)), examples)


def _video(path, random):
    for clip in range(3):
        random.randint(0, 256, [5 + clip, 8 * 8 * 3]).astype(np.uint8).tofile(path("video", "clip_{}.bin".format(clip)))


def _iris(path, random):
    for name, number in (("training", 15), ("test", 6)):
        with open(path("iris", "iris_{}.csv".format(name)), "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow([number, 4, "setosa", "versicolor", "virginica"])
            rows.writerows(["{:.1f}".format(each) for each in random.rand(4) * 8] + [n % 3] for n in range(number))


def _census(path, random):
    for part in range(2):
        with open(path("census", "part-{}.csv".format(part)), "w", newline="") as file:
            csv.writer(file).writerows(
                [20 + n, ("clerk", "cook", "farmer")[n % 3], "" if n % 4 == 3 else 30 + n, (">50K", "<=50K")[n % 2]]
                for n in range(part * 20, part * 20 + 8 + part)
            )


def _text(path, random):
    def sentence(words, least=2):
        return " ".join(words[each] for each in random.randint(0, len(words), least + random.randint(0, 5)))

    french = tuple(reversed(WORDS))
    lines = [sentence(WORDS) for _ in range(14)]
    for name, written in (
        ("corpus.txt", lines), ("vocabulary.txt", WORDS), ("train.en", lines),
        ("train.fr", [" ".join(french[WORDS.index(word)] for word in line.split()) for line in lines]),
        ("tweets.tsv", ["{}\t{}".format(number % 2, line) for number, line in enumerate(lines)]),
    ):
        with open(path("text", name), "w") as file:
            file.write("".join(line + "\n" for line in written))


def _photos(path, random):
    images = images_of(random, 9, 18, 14, 3, "jpeg")
    listed = []
    for number, encoded in enumerate(images):
        name = os.path.join(FLOWERS[number % 3], "{}.jpg".format(number))
        with open(path("photos", name), "wb") as file:
            file.write(encoded)
        listed.append("{} {}\n".format(name, number % 3))
    for name, lines in (("labels.txt", [each + "\n" for each in FLOWERS]), ("train.txt", listed)):
        with open(path("photos", name), "w") as file:
            file.write("".join(lines))


def _roads(path, random):
    pairs = list(zip(images_of(random, 7, 12, 16, 3, "png"), images_of(random, 7, 12, 16, 1, "png")))
    with open(path("roads", "pairs.txt"), "w") as listed:
        for number, pair in enumerate(pairs):
            names = [os.path.join(kind, "{}.png".format(number)) for kind in ("images", "masks")]
            for name, encoded in zip(names, pair):
                with open(path("roads", name), "wb") as file:
                    file.write(encoded)
            listed.write(" ".join(names) + "\n")


def _sounds(path, random):
    for number in range(6):
        content = io.BytesIO()
        with wave.open(content, "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(8000)
            sound.writeframes(random.randint(-9000, 9000, 160).astype("<i2").tobytes())
        with open(path("sounds", "{}_{}.wav".format(number, ("yes", "no")[number % 2])), "wb") as file:
            file.write(content.getvalue())


def _features(path, random):
    for number in range(5):
        np.save(path("features", "{}.npy".format(number)), random.rand(6, 4).astype(np.float32))
