"""Disturbs the training of a job, restarts it, and compares it with a run that nobody disturbed.

    cli/chaos.py  ->  runs.py  --starts-->  legacy-towers train WRAPPED_JOB      worker.py: records, and one fault
                      |                          | a pipe with records
                      comparison.py  <-----------+                               recording.py
                      report.py
"""
