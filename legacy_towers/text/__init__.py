"""Text for messages and files: names, sizes, tables, the layout for terminals, and writing of complete files."""
