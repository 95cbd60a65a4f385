// node scripts/backup/prune-audit.mjs --days N --to FILE: exports the rows of the audit trail that are older than N days, one JSON
// object per line, then removes them. What is left can still be verified, and the file too: scripts/backup/verify-audit.mjs.
// There is no file if no row is that old.
import { mkdir, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { withTrail } from './audit-trail.mjs'

const DAY_MS = 86_400_000

/** Once it is complete, its rows may be gone from the database even if the command failed. */
let storedFile

async function prune() {
  const { values } = parseArgs({ options: { days: { type: 'string' }, to: { type: 'string' } } })
  const days = Number(values.days)
  if (!values.to || !(days >= 1)) throw new Error('Give --days, at least 1, and --to, a new file.')
  const file = path.resolve(values.to)
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const handle = await open(file, 'wx', 0o600).catch((error) => {
    throw new Error(error.code === 'EEXIST' ? `${file} exists. Give a new file.` : error.message)
  })
  try {
    const { rows, through } = await withTrail(({ pruneTrail }) =>
      pruneTrail(new Date(Date.now() - days * DAY_MS), {
        write: (line) => handle.writeFile(line),
        done: async () => {
          await handle.sync()
          storedFile = file
        },
      }),
    )
    console.log(
      rows
        ? `${rows} rows, up to row ${through}, are in ${file} and no longer in the database. Keep the file.`
        : `No row is older than ${days} ${days === 1 ? 'day' : 'days'}: nothing was removed, and ${file} was not written.`,
    )
  } finally {
    await handle.close()
    if (!storedFile) await rm(file, { force: true })
  }
}

await prune().catch((error) => {
  console.error(
    storedFile
      ? `The audit trail was not pruned to the end: ${error.message}\nKeep ${storedFile}: some of its rows may be gone from the database. Run the command again with a new file.`
      : `The audit trail was not pruned: ${error.message}`,
  )
  process.exitCode = 1
})
