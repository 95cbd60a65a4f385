import 'server-only'
import type { AuditRow } from './chain'

/** A file of rows that were exported before they were removed; `name` is how problems refer to it. */
export type AuditExport = { name: string; lines: AsyncIterable<string> }
type Source = { from: string; rows: AsyncGenerator<AuditRow, void> }
/** A row, and where it was read. */
type Copy = AuditRow & { from: string }

export async function* exportedRows({ name, lines }: AuditExport): AsyncGenerator<AuditRow, void> {
  let number = 0
  for await (const line of lines) {
    number += 1
    if (!line.trim()) continue
    let row: Omit<AuditRow, 'at'> & { at: string }
    try {
      row = JSON.parse(line)
    } catch {
      throw new Error(`Line ${number} of ${name} is not an entry of an audit trail.`)
    }
    yield { ...row, at: new Date(row.at) }
  }
}

/**
 * The rows of all sources in the order of their numbers, each with all its copies: exports may overlap, and after an
 * interrupted pruning rows are in the database too.
 */
export async function* mergedRows(sources: readonly Source[]): AsyncGenerator<[Copy, ...Copy[]], void> {
  const next = async ({ from, rows }: Source) => {
    const { value } = await rows.next()
    return value ? [{ from, rows, copy: { ...value, from } }] : []
  }
  let open = (await Promise.all(sources.map(next))).flat()
  while (open.length) {
    const seq = Math.min(...open.map(({ copy }) => copy.seq))
    const lowest = open.filter(({ copy }) => copy.seq === seq)
    yield lowest.map(({ copy }) => copy) as [Copy, ...Copy[]] // at least one has the lowest number
    const following = await Promise.all(lowest.map(next))
    open = [...open.filter((one) => !lowest.includes(one)), ...following.flat()]
  }
}
