"""By which rules, and when, lists are made: policies, their schedules, who is listed."""
