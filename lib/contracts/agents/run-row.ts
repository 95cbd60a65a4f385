import type { Open } from '../wire/state'

/** The statuses that users filter by, and what each includes. */
export const STATUS_GROUPS = {
  active: ['starting', 'pending', 'running', 'reconnecting'],
  waiting: ['waiting'],
  success: ['success', 'continued'],
  failed: ['error', 'timeout'],
  stopped: ['interrupted', 'cancelled', 'deleted'],
  unknown: ['unknown'],
} as const
export type StatusGroup = keyof typeof STATUS_GROUPS

/** `pending` is queued. Otherwise the status from the recording, or the server's. */
export type RunRowStatus = Open<(typeof STATUS_GROUPS)[StatusGroup][number]>

/** What a run was asked and what it took, as far as its request or its trace tells. */
export type RunFacts = {
  input?: string
  /** The first line. */
  error?: string
  firstTokenMs?: number
  tokens?: number
  tokensIn?: number
  tokensOut?: number
  /** In US dollars. `isEstimated`: from the workspace's prices, not logged. */
  cost?: { amount: number; isEstimated: boolean }
  /** Absent if no trace is known. Figures of an open one may grow. */
  trace?: 'open' | 'ended'
}

/** What a run's models took, as far as its recording tells. Usage of zero: they said nothing, or it was not recorded. */
export type RecordedFigures = {
  firstTokenMs?: number | undefined
  usage?: { input: number; output: number; total: number } | undefined
}

/** A run in a list: recorded here, or only on its server. */
export type RunRow = RunFacts & {
  /** Its recording's id, or `deployment/thread/run` with each part encoded. */
  id: string
  recording: string | null
  deployment: string
  thread: string | null
  /** Null until the server has sent it. */
  run: string | null
  /** Assistant id or graph name, if known. */
  assistant: string
  /** Of an assistant that is given by its id, as its server told it last. */
  assistantName?: string
  /** The assistant's version when the run was created. Null if unknown, because servers don't report it. */
  assistantVersion: number | null
  status: RunRowStatus
  /** A person of this console, or `API`, `Cron`, `Console` for a run that was started elsewhere. */
  startedBy: string
  startedAt: string
  endedAt: string | null
  isStateless: boolean
  /** Absent until the run ends, and for recordings of earlier versions. */
  recorded?: RecordedFigures
}

/** Where unrecorded runs were looked for. Servers list runs by thread only, so the search is limited. */
export type Looked = {
  threads: number
  deployments: number
  /** Only threads that are busy or need input, as in lists of a whole workspace. */
  isBusyOnly: boolean
  /** There are more threads, or more runs on them, than were read. */
  isPartial: boolean
  /** The servers have not responded yet; a list does not wait for them. */
  isPending: boolean
  /** While pending, the list still shows what the servers sent before. */
  isKept?: boolean
  /** How many deployments' runs were also found in their traces. `isPartial`: there are older ones. */
  traced?: {
    deployments: number
    isPartial: boolean
    /** If partial: the start of the oldest trace that was read. */
    since?: string
  }
  /** `isLate`: it may still answer, and the next read tells. `keptAt`: its runs are listed as it told them then, in epoch ms. */
  problems: { deployment: string; message: string; isLate?: boolean; keptAt?: number }[]
}

export type RunRowsPage = {
  /** Newest first. */
  rows: RunRow[]
  /** `after` of the next page; null at the end. */
  next: string | null
  /** Null if only recordings were requested. */
  looked: Looked | null
}

/** How many runs started in each interval, by their status. The intervals follow each other without a break. */
export type RunHistogram = {
  /** Epoch ms, as the reader asked for; `until` is null if the span ends now. */
  since: number
  until: number | null
  /** Start of the first interval, in epoch ms: `since` or earlier. */
  first: number
  /** Seconds. */
  step: number
  counts: Partial<Record<StatusGroup, number>>[]
  /** How many of them have no recording; fewer than there are if `looked` is partial. */
  elsewhere: number
  /** As in the list. */
  looked: Looked | null
}

/** A search without a start looks into the outputs of runs of so many hours. */
export const OUTPUT_HOURS = 24

/** Rows of a page, unless the reader says how many. */
export const RUN_ROWS = 25

export const isStatusGroup = (value: string): value is StatusGroup => Object.hasOwn(STATUS_GROUPS, value)
/** The group that a status is counted in. */
export const statusGroupOf = (status: string): StatusGroup =>
  (Object.keys(STATUS_GROUPS) as StatusGroup[]).find((group) =>
    (STATUS_GROUPS[group] as readonly string[]).includes(status),
  ) ?? 'unknown'
export const isRowActive = ({ status }: Pick<RunRow, 'status'>): boolean =>
  (STATUS_GROUPS.active as readonly string[]).includes(status)

/** How many threads of a deployment are searched; the first is the default. */
export const DEPTHS = [30, 100, 300] as const

/** The row id of a run that was started elsewhere. */
export const elsewhereId = (deploymentId: string, thread: string, run: string): string =>
  [deploymentId, thread, run].map(encodeURIComponent).join('/')

/** What can be cancelled: a recording by its id, or a run by its place. */
export type RunTarget =
  | { kind: 'recording'; id: string }
  | { kind: 'elsewhere'; deployment: string; thread: string; run: string }

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The inverse of a row's id. */
export function targetOf(rowId: string): RunTarget {
  const [deploymentId, thread, run] = rowId.split('/').map(decode)
  return deploymentId && thread && run
    ? { kind: 'elsewhere', deployment: deploymentId, thread, run }
    : { kind: 'recording', id: rowId }
}

/** Outcome for one of several runs, by its row's id. `nothing`: it had already ended. */
export type RunResult = { id: string; outcome: 'done' | 'nothing' | 'failed'; reason?: string }

/** Most runs that can be cancelled at a time. */
export const MAX_RUNS = 500
