"""The lab: systems side by side."""
