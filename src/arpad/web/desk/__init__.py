"""The desk: upload, queue, log, work in the background."""
