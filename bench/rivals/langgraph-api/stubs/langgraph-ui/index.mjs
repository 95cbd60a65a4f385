// Imported by the server only where `ui` is configured; the real one has platform packages that npm does not have.
export {}
