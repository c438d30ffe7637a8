"""`python -m estimator` is the same as `unwarp`."""

from estimator.cli import main

if __name__ == "__main__":
    main()
