"""Statistics: pure functions from counts or frames to frames. No command line, no drawing."""
