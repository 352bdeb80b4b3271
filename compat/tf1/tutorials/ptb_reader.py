"""tensorflow.models.rnn.ptb.reader: the words of the Penn Treebank as ids, and as batches for a language model.

TensorFlow 0.6 to 0.12 had it.
"""
import collections
import os
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from legacy_towers.compat.versions import tf
from legacy_towers.errors import InputError


def _read_words(filename: str) -> List[str]:
    with tf.gfile.GFile(filename, "r") as file:
        return str(file.read()).replace("\n", "<eos>").split()


def _build_vocab(filename: str) -> Dict[str, int]:
    counted = collections.Counter(_read_words(filename))
    # Sorted by frequency, then alphabetically.
    words = sorted(counted, key=lambda word: (-counted[word], word))
    return {word: number for number, word in enumerate(words)}


def _file_to_word_ids(filename: str, word_to_id: Dict[str, int]) -> List[int]:
    return [word_to_id[word] for word in _read_words(filename) if word in word_to_id]


def ptb_raw_data(data_path: Optional[str] = None) -> Tuple[List[int], List[int], List[int], int]:
    """Returns the word ids of the training, validation and test text, and the size of the vocabulary.

    Args:
      data_path: the folder of ptb.train.txt, ptb.valid.txt and ptb.test.txt.
    """
    paths = [os.path.join(data_path or "", "ptb.{}.txt".format(part)) for part in ("train", "valid", "test")]
    word_to_id = _build_vocab(paths[0])
    train, valid, test = (_file_to_word_ids(path, word_to_id) for path in paths)
    return train, valid, test, len(word_to_id)


def ptb_iterator(raw_data: List[int], batch_size: int, num_steps: int) -> Iterator[Tuple[np.ndarray, np.ndarray]]:
    """Yields pairs of int32 arrays [batch_size, num_steps]: word ids, and the ids of the words that follow them.

    Raises:
      ValueError: `raw_data` is too short for one pair.
    """
    data = np.array(raw_data, dtype=np.int32)
    length = len(data) // batch_size
    data = data[: batch_size * length].reshape(batch_size, length)
    batches = (length - 1) // num_steps
    if batches == 0:
        raise ValueError("epoch_size == 0, decrease batch_size or num_steps")
    for start in range(0, batches * num_steps, num_steps):
        yield data[:, start : start + num_steps], data[:, start + 1 : start + num_steps + 1]


def ptb_producer(raw_data: List[int], batch_size: int, num_steps: int, name: Optional[str] = None) -> Tuple[Any, Any]:
    """Returns two int32 tensors [batch_size, num_steps] from a queue: word ids, and the ids of the words that follow.

    Raises:
      InputError: `raw_data` is too short for one batch.
    """
    length = len(raw_data) // batch_size
    batches = (length - 1) // num_steps
    if batches <= 0:
        raise InputError("{} words are too few for a batch of {} x {}: decrease batch_size or num_steps".format(
            len(raw_data), batch_size, num_steps))
    with tf.name_scope(name, "PTBProducer", [raw_data, batch_size, num_steps]):
        words = tf.convert_to_tensor(raw_data, name="raw_data", dtype=tf.int32)
        words = tf.reshape(words[: batch_size * length], [batch_size, length])
        start = tf.train.range_input_producer(batches, shuffle=False).dequeue() * num_steps
        inputs = tf.strided_slice(words, [0, start], [batch_size, start + num_steps])
        targets = tf.strided_slice(words, [0, start + 1], [batch_size, start + num_steps + 1])
        inputs.set_shape([batch_size, num_steps])
        targets.set_shape([batch_size, num_steps])
        return inputs, targets
