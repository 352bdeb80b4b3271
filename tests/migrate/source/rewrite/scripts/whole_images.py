import os
import sys
import tensorflow as tf

# Make a queue of file names including all the PNG images of the folder.
filename_queue = tf.train.string_input_producer(
    tf.train.match_filenames_once(os.path.join(sys.argv[1], "images", "*.png")), num_epochs=1, shuffle=False)

# Read an entire image file, since the whole file is needed to decode it.
image_reader = tf.WholeFileReader()
_, image_file = image_reader.read(filename_queue)
image = tf.image.decode_png(image_file, channels=3)
image = tf.image.resize_image_with_crop_or_pad(image, 5, 5)
image.set_shape((5, 5, 3))
images = tf.train.batch([image], batch_size=4, allow_smaller_final_batch=True)

with tf.Session() as sess:
    tf.global_variables_initializer().run()
    tf.local_variables_initializer().run()
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    try:
        while True:
            print(sess.run(images).shape)
    except tf.errors.OutOfRangeError:
        pass
    coord.request_stop()
    coord.join(threads)
