"""Python inside of other files: notebooks, and code blocks of Markdown."""
