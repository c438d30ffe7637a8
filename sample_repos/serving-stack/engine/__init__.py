"""Start-up of one model server."""
