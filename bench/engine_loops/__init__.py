"""One loop on several engines, with one model that answers at once."""
