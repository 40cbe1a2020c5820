"""`python -m motiform` is the command `motiform`."""

from motiform.cli import main

if __name__ == "__main__":
    main()
