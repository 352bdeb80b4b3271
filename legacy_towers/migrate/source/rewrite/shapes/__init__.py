"""The regular shapes of input pipelines: what the calls of each stage become.

    producers   string_input_producer, slice_input_producer, ...   Dataset.from_tensor_slices, shuffle, repeat
    readers     TFRecordReader, TextLineReader, ...                flat_map
    batchers    batch, shuffle_batch, their joins                  shuffle, batch, prefetch
"""
