// What the checks of clients share. Copied beside them into the folder where a client is installed.

/** Waits until `check` is true; throws after 10 s. */
export async function until(check) {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    if (await check()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`timed out: ${check}`)
}

/** Runs each check and prints one line of JSON per check, then ends the process. */
export async function report(checks) {
  for (const [name, check] of Object.entries(checks)) {
    let problem
    try {
      problem = await check()
    } catch (error) {
      problem = error?.message ?? String(error)
    }
    console.log(JSON.stringify({ name, problem: problem ?? null }))
  }
  process.exit()
}
