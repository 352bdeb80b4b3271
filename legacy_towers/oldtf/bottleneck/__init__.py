"""Where an old script's step spends its time, measured while the script runs as it is.

    watch       what each session run took, what it was fed, and, for some runs, TensorFlow's trace
    stacks      which lines of the script Python is in between the runs
    figures     from these: the parts of a step, device by device
    verdict     one sentence
    words       for a person, and as JSON
"""
