import 'server-only'
import { z } from 'zod'
import { controlPlane } from '@/lib/contracts/control-plane'
import { type DeploymentRow, rowOf } from '@/lib/contracts/deployment-row'
import { ListDeploymentsQuery } from '@/lib/contracts/deployments'
import { BOM, csvLine } from '@/lib/csv'
import { EXPORT_CAP } from '@/lib/export'
import { type Actor, sessionActor } from './actor'
import { call } from './call'
import { errorResponse, refuseForeignSite } from './relay'
import { parseInput } from './settle'
import { shutdownSignal } from './shutdown'

const PAGE = 100
/** Rows read twice at each seam, so that rows which go away meanwhile hide none. */
const OVERLAP = 10

const ExportQuery = ListDeploymentsQuery.omit({ limit: true, offset: true }).extend({
  format: z.enum(['csv', 'json']),
  /** A byte order mark in front of CSV: Excel needs it, most other readers do not want it. */
  bom: z.enum(['0', '1']).default('1'),
})
type Filters = Omit<z.output<typeof ExportQuery>, 'format' | 'bom'>

/** Without the states of revisions: they are one request each. */
const COLUMNS: [string, (row: DeploymentRow) => string | number | null][] = [
  ['id', (row) => row.id],
  ['name', (row) => row.name],
  ['status', (row) => row.status],
  ['source', (row) => row.source],
  ['deployment_type', (row) => row.type],
  ['image_version', (row) => row.imageVersion],
  ['repo_url', (row) => row.repo],
  ['repo_ref', (row) => row.ref],
  ['repo_commit_sha', (row) => row.commit],
  ['image_uri', (row) => row.image],
  ['url', (row) => row.url],
  ['latest_revision_id', (row) => row.latest?.id ?? null],
  ['active_revision_id', (row) => row.active?.id ?? null],
  ['secret_names', (row) => row.secrets.join(' ')],
  ['created_at', (row) => row.createdAt],
  ['updated_at', (row) => row.updatedAt],
]

/** All deployments that a filter matches as a file, page by page as they are read: nothing of it is held here. */
export async function exportDeployments(
  request: Request,
  workspace: string,
  who: () => Promise<Actor> = sessionActor,
): Promise<Response> {
  try {
    refuseForeignSite(request)
    const { format, bom, ...filters } = parseInput(ExportQuery, Object.fromEntries(new URL(request.url).searchParams))
    const actor = await who()
    const signal = AbortSignal.any([request.signal, shutdownSignal()])
    const rows = allRows(workspace, filters, actor, signal)
    const parts = format === 'csv' ? csvParts(rows, bom === '1') : jsonParts(rows, workspace, filters)
    // The first page before the headers: what is refused is refused as an error, not as a file.
    const first = await parts.next()
    return new Response(streamOf(first, parts), { headers: headersOf(format, workspace) })
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 })
    return errorResponse(error)
  }
}

const headersOf = (format: 'csv' | 'json', workspace: string) => ({
  'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
  'content-disposition': `attachment; filename="deployments-${workspace.replace(/[^\w-]/g, '').slice(0, 40)}-${new Date().toISOString().slice(0, 10)}.${format}"`,
  'content-security-policy': "sandbox; default-src 'none'",
  'cache-control': 'private, no-store, no-transform',
  'x-content-type-options': 'nosniff',
  vary: 'cookie',
})

/** Pages of rows, each row once; `isCut` on the last one where the cap was reached. */
async function* allRows(workspace: string, filters: Filters, actor: Actor, signal: AbortSignal) {
  const seen = new Set<string>()
  for (let offset = 0; ; ) {
    const query = { ...filters, limit: PAGE, offset }
    const { resources } = await call(controlPlane.listDeployments, { workspace, query }, { actor, signal })
    const fresh = resources.filter(({ id }) => !seen.has(id))
    const isEnd = resources.length < PAGE
    const hasSeam = offset === 0 || fresh.length < resources.length
    if (!hasSeam && !isEnd && offset > OVERLAP) {
      offset = Math.max(0, offset - (PAGE - OVERLAP)) // more went away than overlaps: step back until known rows show
      continue
    }
    const taken = fresh.slice(0, EXPORT_CAP - seen.size)
    for (const { id } of taken) seen.add(id)
    const isCut = seen.size >= EXPORT_CAP && (taken.length < fresh.length || !isEnd)
    yield { rows: taken.map((one) => rowOf(one, () => undefined)), isCut }
    if (isEnd || isCut) return
    offset += resources.length - OVERLAP
  }
}

type Rows = ReturnType<typeof allRows>

async function* csvParts(pages: Rows, hasBom: boolean): AsyncGenerator<string, void> {
  let head = `${hasBom ? BOM : ''}${csvLine(COLUMNS.map(([name]) => name))}`
  for await (const { rows, isCut } of pages) {
    const end = isCut ? csvLine([`Cut off after ${EXPORT_CAP} rows: narrow the filter to get the others.`]) : ''
    yield head + rows.map((row) => csvLine(COLUMNS.map(([, value]) => value(row)))).join('') + end
    head = ''
  }
}

async function* jsonParts(pages: Rows, workspace: string, filter: Filters): AsyncGenerator<string, void> {
  const about = JSON.stringify({ workspace, filter, exported_at: new Date().toISOString() })
  let before = `${about.slice(0, -1)},"deployments":[\n`
  let isWhole = true
  for await (const { rows, isCut } of pages) {
    isWhole &&= !isCut
    let text = ''
    for (const row of rows) {
      text += before + JSON.stringify(Object.fromEntries(COLUMNS.map(([name, value]) => [name, value(row)])))
      before = ',\n'
    }
    yield text
  }
  yield `${before === ',\n' ? '' : before}\n],"is_whole":${isWhole}}\n`
}

/** Pulled, so that a slow reader slows the reading down. A failure on the way breaks the download off instead of ending it. */
function streamOf(
  first: IteratorResult<string, void>,
  parts: AsyncGenerator<string, void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next: IteratorResult<string, void> | undefined = first
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = next ?? (await parts.next())
        next = undefined
        if (done) return controller.close()
        if (value === '') continue // a pull that enqueues nothing is not repeated
        return controller.enqueue(encoder.encode(value))
      }
    },
    cancel: async () => void (await parts.return()),
  })
}
