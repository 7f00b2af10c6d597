"""The designer: session, messages, previews and the widget."""
