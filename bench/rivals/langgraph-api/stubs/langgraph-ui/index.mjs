// The server only imports it if `ui` is configured; the real one needs platform packages that npm does not have.
export {}
