"""Lists out of what was played: the chain of periods, drafts, publishing, corrections."""
