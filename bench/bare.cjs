// Does nothing, to measure the start and exit of Node.
