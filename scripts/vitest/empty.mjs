// Replaces `server-only` in tests, where no bundler separates server and browser.
export {}
