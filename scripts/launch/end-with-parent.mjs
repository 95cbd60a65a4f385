// Loaded by each program that a start runs to its end, and by theirs: they end if that start, whose id is in this address, was
// killed. It waits for them, so no message could tell them.
const start = Number(new URL(import.meta.url).search.slice(1))
const parent = process.ppid

function isAlive() {
  try {
    return process.kill(start, 0)
  } catch ({ code }) {
    return code === 'EPERM'
  }
}

setInterval(() => {
  // Where nobody takes note of its end, it seems to be alive, but no longer has children.
  if (process.ppid !== parent || !isAlive()) process.exit(1)
}, 250).unref()
