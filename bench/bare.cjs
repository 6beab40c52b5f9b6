// Does nothing: what it takes to start Node and to end it.
