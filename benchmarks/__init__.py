"""Speed against peers, measured in one run by ``make bench``; never part of the tests."""
