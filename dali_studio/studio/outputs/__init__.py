"""What the browser is shown of outputs: previews, sheets, sounds, answers about them."""
