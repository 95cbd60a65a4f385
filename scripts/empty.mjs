// Stands for `server-only` in tests, where there is no bundler to tell server from browser.
export {}
