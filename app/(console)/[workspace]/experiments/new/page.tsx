import type { Metadata } from 'next'
import type { Given } from '@/components/runs/experiments/draft'
import type { PastInput } from '@/components/runs/experiments/input-fields'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { PageHeader } from '@/components/shared/layout/page-header'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson } from '@/lib/json/lossless'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { pageActor, pageWorkspace } from '@/lib/server/access/page-actor'
import { findExperiment, listInputSets } from '@/lib/server/records/experiments'
import { prefetch } from '@/lib/server/relay/prefetch'
import { MAX_INPUT_LENGTH, MAX_SUBJECTS } from '@/lib/stream/experiments'
import type { RecordingSummary } from '@/lib/stream/log'
import { visibleRecordings } from '../../recordings'
import { Screen } from './screen'

export const metadata: Metadata = { title: 'New experiment' }

const PAST = 60

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/experiments/new'>) {
  const { workspace } = await params
  await pageWorkspace(workspace)
  const actor = await pageActor()
  const search = await searchParams
  const text = (name: string) => (typeof search[name] === 'string' ? search[name] : undefined)
  const again = text('again')
  const [sets, past, repeated] = await Promise.all([
    listInputSets(actor, workspace),
    visibleRecordings({ workspace, limit: PAST }),
    // A deleted one leaves an empty form.
    again ? findExperiment(actor, { workspace, id: again }).catch(() => undefined) : undefined,
    prefetch(deploymentsQuery(workspace, { limit: 100 })).catch(() => undefined),
  ])
  const given: Given = {
    deployment: text('deployment'),
    assistant: text('assistant'),
    versions: text('versions')
      ?.split(',')
      .filter((one) => /^[1-9]\d{0,6}$/.test(one)),
    revisions: text('revisions')?.split(',').filter(Boolean).slice(0, MAX_SUBJECTS),
    ...(repeated && { again: repeated.row }),
  }
  return (
    <Hydrated>
      <PageHeader title="New experiment" />
      <Screen workspace={workspace} given={given} past={pastInputs(past.items)} sets={sets} />
    </Hydrated>
  )
}

/** The inputs of recorded runs, each once. */
function pastInputs(recordings: readonly RecordingSummary[]): PastInput[] {
  const found = new Map<string, PastInput>()
  for (const { id, request, startedAt } of recordings) {
    const body = request.length > MAX_INPUT_LENGTH ? undefined : parseJson(request)
    if (!isRecord(body) || !isRecord(body.input)) continue
    const input = printJson(body.input)
    if (!found.has(input)) found.set(input, { id, input, at: startedAt.slice(0, 16).replace('T', ' ') })
  }
  return [...found.values()]
}
