from legacy_towers.compat import tf

dataset = tf.data.Dataset.list_files(FOLDER + "/*.png", shuffle=False)
dataset = dataset.map(tf.read_file)
content = tf.data.make_one_shot_iterator(dataset).get_next()
image = tf.image.decode_png(content)
FETCHED = [image]
