import {
  isRevisionInProgress,
  isRevisionTerminal,
  REVISION_STATUSES_IN_PROGRESS,
  revisionLabel,
} from '@/lib/contracts/wire/state'

export type StageState = 'done' | 'current' | 'failed' | 'stopped' | 'ahead' | 'unsure'
export type Stage = {
  id: string
  label: string
  state: StageState
  /** What is known of it, as a sentence. */
  note: string
  /** When this page saw it, epoch ms. */
  seenAt?: number
}

type Subject = {
  status: string
  source?: string | null
  /** Statuses that were seen while somebody watched, with the moment. */
  seen: ReadonlyMap<string, number>
}

const STAGES: readonly string[] = [...REVISION_STATUSES_IN_PROGRESS, 'DEPLOYED']
const BUILD: readonly string[] = ['AWAITING_BUILD', 'BUILDING']
const FAILED_AT: Record<string, string> = {
  CREATE_FAILED: 'CREATING',
  BUILD_FAILED: 'BUILDING',
  DEPLOY_FAILED: 'DEPLOYING',
}
const NOTES: Record<StageState, string> = {
  done: 'Reached.',
  current: 'It is here now.',
  failed: 'It failed here.',
  stopped: 'It ended here.',
  ahead: 'Not reached yet.',
  unsure: 'Passed or skipped: the server keeps the last status only, and nobody watched then.',
}

/**
 * The stages of a revision, as far as they are known. A server tells one status and no history, and a poll may miss some: so
 * an earlier stage counts as reached only where it was seen. Images have no build.
 */
export function stagesOf({ status, source, seen }: Subject): Stage[] {
  const isImage = source === 'external_docker' || source === 'internal_docker'
  const reached = FAILED_AT[status] ?? status
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
      // That there is a record is the proof of the first one.
      if (rank === 0 || (seen.has(id) && (at === -1 || rank < at))) return 'done'
      if (at === -1) return isOver || !isRevisionInProgress(status) ? 'unsure' : 'ahead'
      return rank < at ? 'unsure' : 'ahead'
    }
  })
  if (at !== -1) return stages
  // Interrupted, skipped, or in a state that nobody here knows: where on the way that was is not told.
  const last = stages.findLastIndex(({ state }) => state === 'done')
  const note = isOver
    ? 'It ended on its way. Where, the server does not tell; its logs may.'
    : 'This console does not know the status. It is shown as the server sends it.'
  const end: Stage = { id: status, label: revisionLabel(status), state: isOver ? 'stopped' : 'current', note }
  return [...stages.slice(0, last + 1), end]
}
