// Loaded by each program that serves: it goes on when nobody reads what it prints any more (`npm start | head`, a journal
// that was restarted). A failed write would be an uncaught exception, and what reports that would fail to write again.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
