"""Measures where the step of an unchanged script spends its time.

    watch           records the time and feeds of each session run, and traces some runs
    watched_compat  replaces legacy_towers.compat in the script, so that the session runs of its `tf` are recorded
    stacks          samples the lines of the script that Python executes between session runs
    figures         computes the parts of a step, per device
    verdict         names the largest part in one sentence
    output          formats the figures as text and as JSON
"""
