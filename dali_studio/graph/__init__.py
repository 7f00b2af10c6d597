"""The logical program: graph, edits, validation, inference, documents."""
