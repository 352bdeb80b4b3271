"""The rules, one construct of queues per file; importing this package registers all of them.

    producers   queues of file names, slices and numbers
    readers     readers, and what is read by them
    batchers    tf.train.batch and its kin
    queues      queues and staging areas that a script makes itself
    runners     what starts, stops and initializes queues
    libraries   tf.contrib.slim, tf.contrib.learn and estimators, whose functions make queues
"""
import importlib
import pkgutil

for _found in pkgutil.walk_packages(__path__, __name__ + "."):
    importlib.import_module(_found.name)
