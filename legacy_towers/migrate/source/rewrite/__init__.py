"""Rewrites the queues of source code to tf.data, with libcst: formatting, comments and names stay.

    syntax    a file's libcst tree with positions: the node of a Site, its statement, the code of an expression
    edits     the edits of one file, applied together
    plan      plan_rewrite(project): the new text of each file, or the calls that stay, with the reason
    drafts    a file with its edits; what is left, with the reason; forms: files that libcst can't read
    pipeline  writes one pipeline, stage by stage:
      regular         calls that no stage rewrites; origins: which producers and reads belong together
      source_stage    a producer and its reader; slim_stage: slim's providers and parallel_read;
                      reader: where a reader is made; chosen_reader: by what it is chosen;
                      taken: what takes what they give;
                      carried: expressions moved to a call; keywords: arguments of a call
      stages          which of them read; chosen_functions: functions that read, of which a script calls one or another;
                      record_queue: a queue of records behind a reader; record_takes: what takes
                      from it
      joins           lists of examples for batch_join; passed_lists: those that functions get; repeated: lists and
                      loops of one expression; zipped: examples of several readers
      sinks           the statements that take examples
      passing         functions that take and return examples
      passed_queue    queues that are passed to a function which reads and batches; read_through: to one that reads
      filled_queue    queues of names that session.run fills; single: examples that nothing batches
      held            queues that an object keeps; held_and_passed: those that it passes to a function;
                      attributes: examples that only its batch reads;
                      families: classes that have objects in common
      region, checks  the statements that compute an example, and what can't be in Dataset.map; outer_names: what
                      functions read of the code around them; used_after: examples that are used otherwise
      mapping         the function of Dataset.map; examples: what it returns; results: of a function that reads;
                      stacked: tuples in it; turns: numbers of threads
      branched        branches that compute and batch; opposite: an `if not` after an `if`; optional_batch: a branch
                      that batches, where another does not
      batch_stage     batchers; batch_conditions: lengths and keep_input;
                      prefetch_stage and queue_stage: queues behind them;
                      queue_branches: a queue that two branches make; kept: examples that a class keeps, and
                      kept_reads: those that another method computes with; objects: whose methods read once
    shapes/   what each producer, reader and batcher becomes
    functions, scope, names   functions and calls, where code is written, the names that it reads and binds
    passed_files, unread_collections   what callers pass to a producer; collections that nothing reads
    whole_call  pipelines of one call: limit_epochs, read_batch_features; batch_examples: read_batch_examples
    unused, unused_batch   readers, queues and batches that nothing reads
    size_summaries         summaries of the sizes of queues
    tensors   expressions that are tensors
    controls/ what starts, stops and initializes queues: start_queue_runners, Coordinator, should_stop loops
    targets   the names of TensorFlow 1 or 2 in the new text

A file may have several pipelines, and a pipeline several files. `plan_rewrite` therefore works on groups of pipelines
that share files. It writes the pipelines of a group first, without those that can't be rewritten, then calls

    rewrite_controls(program) -> List[Left]                     in controls/__init__.py

with a `Program`: the control Sites (start_queue_runners, Coordinator and its methods, local_variables_initializer)
of the group's pipelines, all of which are rewritten, and a `Draft` per file. A Draft has

    draft.source.call(site)          the libcst Call of a Site, None where there is none
    draft.source.statement(node)     the statement around a node: a small statement (`a = f()` of `a = f(); b = 1`) or a
                                     compound one (`with ...:`)
    draft.source.parents[node]       the node around a node;   draft.source.positions[node]  its lines and columns
    draft.source.code(node)          its text
    draft.source.parse(text)         new statements from text
    draft.edits.replace(node, new)   `new` is a node, or a function of the node in which inner edits are done
    draft.edits.remove(statement)    its comments go to the next statement; a block left empty gets `pass`
    draft.edits.insert_before(statement, make)   `make()` returns statements
    draft.edits.unwrap(statement)    puts the body of a compound statement (`try`, `with`) in its place

What can't be rewritten is returned as `Left(site, reason)`; then nothing of the group is written. Edits must not touch
statements that `draft.edits.is_changed(statement)` has already.
"""
