"""Words are looked up in a table whose file the script has written, before they are padded and batched."""
import collections
import os
import sys
import tempfile

import tensorflow as tf

UNK, PAD = '<unk>', '<pad>'
text = os.path.join(sys.argv[1], 'words.txt')


def make_vocab(text, size):
    counter = collections.Counter(open(text).read().split())
    vocab = [PAD] + [w for w, _ in sorted(counter.items(), key=lambda p: (-p[1], p[0]))[:size - 1]]
    path = os.path.join(tempfile.mkdtemp(), 'vocab')
    with open(path, 'w') as out:
        out.write('\n'.join(vocab) + '\n')
    return path, len(vocab)


vocab_file, vocab_size = make_vocab(text, 9)
table = tf.contrib.lookup.index_table_from_file(vocab_file, num_oov_buckets=1)
reverse = tf.contrib.lookup.index_to_string_table_from_file(vocab_file, default_value=UNK)

filename_queue = tf.train.string_input_producer([text], num_epochs=1, shuffle=False)
_, line = tf.TextLineReader().read(filename_queue)
words = tf.string_split([tf.regex_replace(line, '[.,]', '')]).values
ids = table.lookup(words)
batch_ids, batch_lens = tf.train.batch([ids, tf.size(ids)], 4, dynamic_pad=True, allow_smaller_final_batch=True)
emb = tf.get_variable('emb', [vocab_size + 1, 3], initializer=tf.ones_initializer())
sentence = tf.reduce_sum(tf.nn.embedding_lookup(emb, batch_ids), 1) / tf.to_float(tf.expand_dims(batch_lens, 1))
loss = tf.reduce_mean(sentence)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
back = reverse.lookup(batch_ids)

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            _, strings, lens = sess.run([train, back, batch_lens])
            print(strings[0][:lens[0]][0], lens)
    except tf.errors.OutOfRangeError:
        print('end')
    finally:
        coord.request_stop()
        coord.join(threads)
