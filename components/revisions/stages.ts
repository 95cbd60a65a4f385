import {
  isRevisionInProgress,
  isRevisionTerminal,
  REVISION_STATUSES_IN_PROGRESS,
  revisionLabel,
} from '@/lib/contracts/wire/state'

import type { RollOut } from './common/roll-out'
import type { Span } from './common/times'

export type StageState = 'done' | 'current' | 'failed' | 'stopped' | 'ahead' | 'unsure'
export type Stage = {
  id: string
  label: string
  state: StageState
  /** A sentence for the tooltip. */
  note: string
  /** When this page saw it (epoch ms). */
  seenAt?: number
  /** As the server recorded it. */
  span?: Exclude<Span, { unknown: string }>
}

type Subject = {
  status: string
  source?: string | null
  /** Statuses seen while this page was open, with their times. */
  seen: ReadonlyMap<string, number>
  /** Where the server records statuses; then `seen` does not count. */
  rollOut?: RollOut | undefined
}

const STAGES: readonly string[] = [...REVISION_STATUSES_IN_PROGRESS, 'DEPLOYED']
const BUILD: readonly string[] = ['AWAITING_BUILD', 'BUILDING']
const FAILED_AT: Record<string, string> = {
  CREATE_FAILED: 'CREATING',
  BUILD_FAILED: 'BUILDING',
  DEPLOY_FAILED: 'DEPLOYING',
}
const NOTES: Record<StageState, string> = {
  done: 'Done.',
  current: 'In progress.',
  failed: 'Failed at this stage.',
  stopped: 'Ended at this stage.',
  ahead: 'Not reached yet.',
  unsure: 'Passed or skipped. The server keeps only the latest status.',
}

/**
 * The known stages of a revision; images have no build stages. Polling can miss statuses, so an earlier stage counts as
 * reached only if it was seen.
 */
export function stagesOf({ status, source, seen, rollOut }: Subject): Stage[] {
  const isImage = source === 'external_docker' || source === 'internal_docker'
  const reached = FAILED_AT[status] ?? status
  if (rollOut) return recordedStages(status, rollOut, isImage)
  const isShown = (id: string) => !isImage || !BUILD.includes(id) || seen.has(id) || reached === id
  const at = STAGES.indexOf(reached)
  const isOver = isRevisionTerminal(status)
  const stages = STAGES.filter(isShown).map((id): Stage => {
    const rank = STAGES.indexOf(id)
    const state = stateOf()
    const isSeen = seen.has(id)
    return {
      id,
      label: revisionLabel(id),
      state,
      note: NOTES[state],
      ...(isSeen && { seenAt: seen.get(id) as number }),
    }

    function stateOf(): StageState {
      if (id === reached && FAILED_AT[status]) return 'failed'
      if (id === reached) return id === 'DEPLOYED' ? 'done' : 'current'
      // The record itself proves that the first stage was reached.
      if (rank === 0 || (seen.has(id) && (at === -1 || rank < at))) return 'done'
      if (at === -1) return isOver || !isRevisionInProgress(status) ? 'unsure' : 'ahead'
      return rank < at ? 'unsure' : 'ahead'
    }
  })
  if (at !== -1) return stages
  // Interrupted, skipped or in an unknown status: the server does not say at which stage.
  const last = stages.findLastIndex(({ state }) => state === 'done')
  const note = isOver
    ? 'Ended early. The server does not say at which stage; see the logs.'
    : 'Unknown status, shown as the server sent it.'
  const end: Stage = { id: status, label: revisionLabel(status), state: isOver ? 'stopped' : 'current', note }
  return [...stages.slice(0, last + 1), end]
}

/** The stages that a roll-out went through, and those ahead of one in progress. Stages that it skipped are left out. */
function recordedStages(status: string, { stages, to }: RollOut, isImage: boolean): Stage[] {
  const stage = (id: string, state: StageState, span?: Stage['span']): Stage => ({
    id,
    label: revisionLabel(id),
    state,
    note: NOTES[state],
    ...(span && { span }),
  })
  const ended: StageState = FAILED_AT[status] ? 'failed' : status === 'DEPLOYED' ? 'done' : 'stopped'
  const recorded = stages.map(({ status: id, ...span }, index) =>
    stage(id, index < stages.length - 1 ? 'done' : span.to === null ? 'current' : ended, span),
  )
  if (status === 'DEPLOYED') return [...recorded, stage('DEPLOYED', 'done')]
  if (to !== null) return FAILED_AT[status] ? recorded : [...recorded, stage(status, 'stopped')]
  const rank = STAGES.indexOf(status)
  const ahead = STAGES.slice(rank + 1).filter((id) => !isImage || !BUILD.includes(id))
  return [...recorded, ...(rank === -1 ? [] : ahead.map((id) => stage(id, 'ahead')))]
}
