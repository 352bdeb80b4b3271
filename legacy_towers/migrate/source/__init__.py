"""Finds the queues of TensorFlow 1 in source code, without running it and without importing TensorFlow.

    files        finds and reads the files
    names        the names that TensorFlow's API has, whatever a script imports it as
    queue_api    the functions and classes of queues
    values       what an expression may be: a name of TensorFlow, a function, an object that a call made
    knowledge    what is known of all files: what names are bound to, what functions return, which calls there are
    scopes       binds and resolves names
    expressions  evaluates expressions
    calls        evaluates calls
    statements   reads the statements of a file
    project      reads a project: its files, and the calls of queues in them
    pipelines    which calls belong to one input pipeline
"""
