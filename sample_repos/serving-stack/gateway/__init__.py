"""The public face of the model servers."""
