"""Statistics as pure functions: numbers in, numbers out, no input or output. Each names its paper."""
