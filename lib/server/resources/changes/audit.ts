import 'server-only'
import { z } from 'zod'
import { AUDIT_GROUPS, type AuditGroup } from '@/lib/contracts/audit/actions'
import {
  AUDIT_ABOUT,
  type AuditAbout,
  type AuditRow,
  type AuditRowsPage,
  type RecentChanges,
} from '@/lib/contracts/audit/audit-row'
import {
  AUDIT_OUTCOMES,
  type AuditOutcome,
  auditSentence,
  deploymentsIn,
  namedSentence,
} from '@/lib/contracts/audit/sentence'
import { queryInt } from '@/lib/contracts/wire/fields'
import { BOM, csvLine, EXPORT_CAP } from '@/lib/format/csv'
import { shownText, withEscapes } from '@/lib/format/hidden-characters'
import { readMoment } from '@/lib/format/moment'
import type { Actor } from '../../access/actor'
import { queryMoment, queryText } from '../../process/query-fields'
import { parseInput } from '../../process/result'
import { within } from '../../process/within'
import { type AuditFilter, listAudit } from '../../records/audit'
import { auditTrailFile } from '../../records/audit-retention'
import { listRecentChanges } from '../../records/changes'
import { download, type FileParts, inFileName } from '../../relay/download'
import { serveRead } from '../../relay/serve-read'
import { readFleet } from '../fleet'

/** How long the trail waits for the names of deployments; without them it shows their ids. */
const JOIN_MS = 1_500
const EXPORT_PAGE = 500
/** How many changes Home lists. */
const RECENT = 6

const keysOf = <Key extends string>(of: Record<Key, string>) => Object.keys(of) as [Key, ...Key[]]
const Filters = z.strictObject({
  by: queryText.optional(),
  about: z.enum(keysOf<AuditAbout>(AUDIT_ABOUT)).optional(),
  deployment: queryText.optional(),
  group: z.enum(keysOf<AuditGroup>(AUDIT_GROUPS)).optional(),
  outcome: z.enum(keysOf<AuditOutcome>(AUDIT_OUTCOMES)).optional(),
  since: queryMoment.optional(),
  until: queryMoment.optional(),
})
const PageQuery = Filters.extend({
  before: queryInt(1, Number.MAX_SAFE_INTEGER).optional(),
  limit: queryInt(1, 100).default(50),
})
const ExportQuery = Filters.extend({ format: z.enum(['csv', 'jsonl']), bom: z.enum(['0', '1']).default('1') })

function filterOf({ since, until, ...given }: z.output<typeof Filters>): AuditFilter {
  const now = Date.now()
  const timeOf = (value: string | undefined) => (value ? readMoment(value, now) : undefined)
  return { ...given, since: timeOf(since), until: timeOf(until) }
}

/** A page of the audit trail with the names of what it mentions. Throws AppError forbidden for non-administrators. */
export async function readAuditPage(workspace: string, query: unknown, actor: Actor): Promise<AuditRowsPage> {
  const { before, limit, ...filters } = parseInput(PageQuery, query)
  const { accounts, ...page } = await listAudit(actor, { ...filterOf(filters), workspace, before, limit })
  return { ...page, names: { accounts, deployments: await deploymentNames(workspace, page.rows, actor) } }
}

/** Serves `GET /api/audit/{workspace}`. */
export const serveAudit = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, (query, { actor }) => readAuditPage(workspace, query, actor))

/** Names of the deployments that the entries act on, as far as the control plane lists them in time. */
export async function deploymentNames(
  workspace: string,
  entries: readonly { params: Record<string, string> }[],
  actor: Actor,
): Promise<Record<string, string>> {
  return await namesOf(
    workspace,
    entries.flatMap(({ params }) => deploymentsIn(params)),
    actor,
  )
}

/** The names of these deployments, as far as the control plane lists them in time. */
export async function namesOf(
  workspace: string,
  deployments: readonly string[],
  actor: Actor,
): Promise<Record<string, string>> {
  const ids = new Set(deployments)
  if (ids.size === 0) return {}
  const fleet = readFleet(workspace, {}, { actor }).catch(() => null)
  const found = await within(JOIN_MS, fleet, null)
  return Object.fromEntries((found?.rows ?? []).flatMap(({ id, name }) => (ids.has(id) ? [[id, name]] : [])))
}

/** The newest changes in a workspace, for all its members. */
export async function readRecentChanges(workspace: string, actor: Actor): Promise<RecentChanges> {
  const rows = await listRecentChanges(actor, workspace, RECENT)
  return { rows, names: { accounts: {}, deployments: await deploymentNames(workspace, rows, actor) } }
}

/** Serves `GET /api/changes/{workspace}`. */
export const serveRecentChanges = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, (_query, { actor }) => readRecentChanges(workspace, actor))

/** Streams the actions that match the filters, newest first, as a CSV or JSON Lines file. */
export const exportAudit = (request: Request, workspace: string): Promise<Response> =>
  download(request, (actor) => {
    const { format, bom, ...filters } = parseInput(ExportQuery, Object.fromEntries(new URL(request.url).searchParams))
    const pages = allPages(workspace, filterOf(filters), actor)
    const name = `audit-${inFileName(workspace)}-${new Date().toISOString().slice(0, 10)}.${format}`
    return format === 'csv'
      ? { name, type: 'text/csv', parts: csvParts(pages, bom === '1') }
      : { name, type: 'application/jsonl', parts: jsonParts(pages) }
  })

/** Streams the trail of all workspaces, as it is verified, to administrators of the console. */
export const exportAuditTrail = (request: Request): Promise<Response> =>
  download(request, (actor) => ({
    name: `audit-trail-${new Date().toISOString().slice(0, 19).replace(/:/g, '')}.jsonl`,
    type: 'application/jsonl',
    parts: auditTrailFile(actor),
  }))

type Pages = AsyncGenerator<AuditRowsPage & { isCut: boolean }, void>

async function* allPages(workspace: string, filter: AuditFilter, actor: Actor): Pages {
  let count = 0
  for (let before: number | undefined; ; ) {
    const { accounts, rows, ...rest } = await listAudit(actor, { ...filter, workspace, before, limit: EXPORT_PAGE })
    count += rows.length
    const isCut = rest.next !== null && count >= EXPORT_CAP
    yield { ...rest, rows, isCut, names: { accounts, deployments: await deploymentNames(workspace, rows, actor) } }
    if (rest.next === null || isCut) return
    before = rest.next
  }
}

const COLUMNS: [string, (row: AuditRow, names: AuditRowsPage['names']) => string | number | null][] = [
  ['seq', (row) => row.seq],
  ['at', (row) => row.at],
  ['actor', (row) => row.actor],
  ['role', (row) => row.role],
  ['action', (row, names) => namedSentence(auditSentence(row, row.outcome), names)],
  ['outcome', (row) => row.outcome],
  ['recorded_outcome', (row) => row.said],
  ['upstream_status', (row) => row.upstreamStatus],
  ['operation', (row) => row.operation],
  ['params', (row) => JSON.stringify(row.params)],
  ['fields', (row) => row.fields.join(' ')],
  ['request_id', (row) => row.requestId],
  ['workspace', (row) => row.workspace],
]
const CUT = 'Truncated: there are more entries. Narrow the filter to get the rest.'

async function* csvParts(pages: Pages, hasBom: boolean): FileParts {
  let head = `${hasBom ? BOM : ''}${csvLine(COLUMNS.map(([name]) => name))}`
  for await (const { rows, names, isCut } of pages) {
    const lines = rows.map((row) =>
      csvLine(
        COLUMNS.map(([, read]) => {
          const value = read(row, names)
          return typeof value === 'string' ? shownText(value) : value
        }),
      ),
    )
    yield head + lines.join('') + (isCut ? csvLine([CUT]) : '')
    head = ''
  }
}

async function* jsonParts(pages: Pages): FileParts {
  for await (const { rows, names, isCut } of pages) {
    for (const row of rows)
      yield `${withEscapes(JSON.stringify({ ...row, action: namedSentence(auditSentence(row, row.outcome), names) }))}\n`
    if (isCut) yield `${JSON.stringify({ truncated: CUT })}\n`
  }
}
