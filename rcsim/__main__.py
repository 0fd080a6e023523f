"""`python -m rcsim`."""

from rcsim.cli import main

if __name__ == "__main__":
    main()
