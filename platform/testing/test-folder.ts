import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** A temporary folder for tests. `fresh` returns a new path in it. */
export function testFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-platform-'))
  // Confined programs read what tests put here; the data folder inside is closed.
  chmodSync(folder, 0o755)
  let count = 0
  return {
    path: folder,
    fresh: (name: string) => path.join(folder, `${name}-${count++}`),
    // What a program left behind may still write into it for a moment.
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}
