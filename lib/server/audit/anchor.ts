import 'server-only'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { env } from '../process/env'
import { log } from '../process/log'
import type { AuditHead } from './chain'

const Anchor = z.object({ chain: z.string(), seq: z.number().int(), mac: z.string() })
/** A row that the chain has reached, stored outside the database. */
export type Anchor = z.output<typeof Anchor>

const file = () => path.join(/* turbopackIgnore: true */ env().PILOTHOUSE_DATA, 'audit-anchor.json')

/** The anchors in the data folder, one per chain. Throws an Error if the file is damaged. */
export function keptAnchors(): Anchor[] {
  let text: string
  try {
    text = readFileSync(file(), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  try {
    return z.array(Anchor).parse(JSON.parse(text))
  } catch {
    throw new Error(`${file()} is damaged.`)
  }
}

/** Writes the chain's head to the log stream and the data folder. */
export function anchor(head: AuditHead): void {
  log.info('audit.anchor', { audit_anchor: head.seq, chain: head.chain, mac: head.mac })
  try {
    const kept = keptAnchors()
    if (kept.some((one) => one.chain === head.chain && one.seq >= head.seq)) return // another process is ahead
    const next = [
      ...kept.filter((one) => one.chain !== head.chain),
      { chain: head.chain, seq: head.seq, mac: head.mac },
    ]
    mkdirSync(path.dirname(file()), { recursive: true, mode: 0o700 })
    const draft = `${file()}.${process.pid}.${randomBytes(4).toString('hex')}`
    writeFileSync(draft, JSON.stringify(next), { mode: 0o600 })
    renameSync(draft, file())
  } catch (error) {
    log.error('audit.anchor_not_kept', { error }) // the log stream has it, and the trail is not affected
  }
}
