import 'server-only'
import { z } from 'zod'
import { controlPlane } from '@/lib/contracts/control-plane'
import { type DeploymentRow, HEALTH_GROUPS, healthGroup, rowOf } from '@/lib/contracts/deployments/deployment-row'
import { ListDeploymentsQuery } from '@/lib/contracts/deployments/deployments'
import { BOM, csvLine, EXPORT_CAP } from '@/lib/format/csv'
import { shownText, withEscapes } from '@/lib/format/hidden-characters'
import type { Actor } from '../access/actor'
import { parseInput } from '../process/result'
import { download, type FileParts, inFileName } from '../relay/download'
import { call } from '../upstream/call'
import { readFleet } from './fleet'

const PAGE = 100
/** Rows that consecutive pages share, so that deletions in between do not skip any row. */
const OVERLAP = 10

const ExportQuery = ListDeploymentsQuery.omit({ limit: true, offset: true }).extend({
  health: z.enum(HEALTH_GROUPS).optional(),
  format: z.enum(['csv', 'json']),
  /** Whether CSV starts with a byte order mark: Excel needs it, most other readers do not want it. */
  bom: z.enum(['0', '1']).default('1'),
})
type Filters = Omit<z.output<typeof ExportQuery>, 'format' | 'bom'>

/** Without revision states, which would take one request each. */
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

/** Streams all deployments that match a filter as a CSV or JSON file. */
export const exportDeployments = (request: Request, workspace: string, who?: () => Promise<Actor>): Promise<Response> =>
  download(
    request,
    (actor, signal) => {
      const { format, bom, ...filters } = parseInput(ExportQuery, Object.fromEntries(new URL(request.url).searchParams))
      const rows = allRows(workspace, filters, actor, signal)
      const name = `deployments-${inFileName(workspace)}-${new Date().toISOString().slice(0, 10)}.${format}`
      return format === 'csv'
        ? { name, type: 'text/csv', parts: csvParts(rows, bom === '1') }
        : { name, type: 'application/json', parts: jsonParts(rows, workspace, filters) }
    },
    who,
  )

/** Pages of rows, each row once. `isCut` is set on the last page if the cap was reached. */
async function* allRows(workspace: string, { health, ...filters }: Filters, actor: Actor, signal: AbortSignal) {
  if (health) {
    const { rows, isCut } = await (await readFleet(workspace, filters, { actor })).whole()
    yield { rows: rows.filter((row) => healthGroup(row) === health), isCut }
    return
  }
  const seen = new Set<string>()
  for (let offset = 0; ; ) {
    const query = { ...filters, limit: PAGE, offset }
    const { resources } = await call(controlPlane.listDeployments, { workspace, query }, { actor, signal })
    const fresh = resources.filter(({ id }) => !seen.has(id))
    const isEnd = resources.length < PAGE
    const hasSeam = offset === 0 || fresh.length < resources.length
    if (!hasSeam && !isEnd && offset > OVERLAP) {
      offset = Math.max(0, offset - (PAGE - OVERLAP)) // more rows were deleted than overlap: step back until known rows appear
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

/** People read the CSV, so hidden characters are made visible. Programs can use the JSON, which is exact. */
const cellOf = (value: string | number | null) => (typeof value === 'string' ? shownText(value) : value)

async function* csvParts(pages: Rows, hasBom: boolean): FileParts {
  let head = `${hasBom ? BOM : ''}${csvLine(COLUMNS.map(([name]) => name))}`
  for await (const { rows, isCut } of pages) {
    const end = isCut ? csvLine(['Truncated: there are more deployments. Narrow the filter to get the rest.']) : ''
    yield head + rows.map((row) => csvLine(COLUMNS.map(([, value]) => cellOf(value(row))))).join('') + end
    head = ''
  }
}

async function* jsonParts(pages: Rows, workspace: string, filter: Filters): FileParts {
  const about = JSON.stringify({ workspace, filter, exported_at: new Date().toISOString() })
  let before = `${about.slice(0, -1)},"deployments":[\n`
  let isWhole = true
  for await (const { rows, isCut } of pages) {
    isWhole &&= !isCut
    let text = ''
    for (const row of rows) {
      text +=
        before + withEscapes(JSON.stringify(Object.fromEntries(COLUMNS.map(([name, value]) => [name, value(row)]))))
      before = ',\n'
    }
    yield text
  }
  yield `${before === ',\n' ? '' : before}\n],"is_whole":${isWhole}}\n`
}
