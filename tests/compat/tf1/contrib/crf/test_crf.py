"""tf.contrib.crf has the variables and numbers of TensorFlow 1.15, and equals a brute-force search."""
import itertools

import numpy as np
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.crf_cases import CASES

pytestmark = pytest.mark.needs_layers


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_matches_tensorflow_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_crf", name)) == []


def test_decoding_and_normalization_equal_brute_force():
    tf = recorded_cases.module("tensorflow")
    scores, transitions = recorded_cases.values((4, 3), "scores"), recorded_cases.values((3, 3), "transitions")
    scores_of_tags = {
        tags: sum(scores[t, tag] for t, tag in enumerate(tags)) + sum(transitions[a, b] for a, b in zip(tags, tags[1:]))
        for tags in itertools.product(range(3), repeat=4)
    }
    lengths = tf.constant([4])
    norm = tf.contrib.crf.crf_log_norm(tf.constant(scores[None]), lengths, tf.constant(transitions))
    decoded = tf.contrib.crf.crf_decode(tf.constant(scores[None]), tf.constant(transitions), lengths)
    with tf.Session() as session:
        found, (tags, best) = session.run([norm, decoded])
    np.testing.assert_allclose(found, [np.log(np.sum(np.exp(list(scores_of_tags.values()))))], rtol=1e-6)
    assert tuple(tags[0]) == max(scores_of_tags, key=scores_of_tags.get)
    np.testing.assert_allclose(best, [max(scores_of_tags.values())], rtol=1e-6)
