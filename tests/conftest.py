"""Settings of all tests: how hypothesis draws."""

import os

from hypothesis import settings

# The same examples on every run, so that a change that breaks something breaks it at once and for everyone.
# HYPOTHESIS_PROFILE=search looks at many others, for a long run by hand.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.register_profile("search", deadline=None, max_examples=2000, database=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
