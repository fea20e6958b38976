"""Moves to strength: engine, evaluations, gain, average error, intrinsic ratings."""
