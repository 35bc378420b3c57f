@rem Start of the server on Windows: "exec" of the shells elsewhere replaces the shell by the server, so that a signal to
@rem npm reaches it. Windows has no such signal, and the command is simply run.
@%*
