"""One module per format: pure functions, bytes in and values out; `Malformed` for what is not the format."""
