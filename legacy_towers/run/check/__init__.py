"""Finds the TensorFlow 1.x APIs that a script uses and that are missing, without running the script.

    project             reads a script, the modules that it imports, or all files of a folder
    uses                finds the TensorFlow names in one file, statement by statement
    import_statements   reads the import statements of a file
    expressions         reads its expressions
    scopes              resolves local names to dotted TensorFlow names
    conditions          decides which branch of a version check is taken
    values              evaluates the expressions in version checks
    status              looks a dotted name up: unchanged, removed but supported, or missing
    output              formats the findings as text and as JSON
"""
