import type { Open } from '../wire/state'

/** Statuses that people filter by, and what each stands for. */
export const STATUS_GROUPS = {
  active: ['starting', 'pending', 'running', 'reconnecting'],
  waiting: ['waiting'],
  success: ['success'],
  failed: ['error', 'timeout'],
  stopped: ['interrupted', 'cancelled', 'deleted'],
  unknown: ['unknown'],
} as const
export type StatusGroup = keyof typeof STATUS_GROUPS

/** `pending`: it waits its turn. Else what a recording knows of the run, or what its server says. */
export type RunRowStatus = Open<(typeof STATUS_GROUPS)[StatusGroup][number]>

/** A run in a list: recorded here, or seen on its server only. */
export type RunRow = {
  /** Its recording's id, or `deployment/thread/run` with each part encoded. */
  id: string
  recording: string | null
  deployment: string
  thread: string | null
  /** Null until the server has named it. */
  run: string | null
  /** Assistant id or graph name, as far as it is told. */
  assistant: string
  /** Of the assistant, when the run was made. Null where it is not known: servers do not tell it of a run. */
  assistantVersion: number | null
  status: RunRowStatus
  /** Null for a run that was started elsewhere: its server does not say. */
  startedBy: string | null
  startedAt: string
  endedAt: string | null
  isStateless: boolean
}

/** Where runs that nobody records were looked for. Servers list runs by thread only, so there is a bound. */
export type Looked = {
  threads: number
  deployments: number
  /** Busy threads only: so it is across a workspace. */
  isBusyOnly: boolean
  /** There are more threads, or more runs on them, than were read. */
  isPartial: boolean
  /** The servers have not answered yet: a list does not wait for them. */
  isPending: boolean
  problems: { deployment: string; message: string }[]
}

export type RunRowsPage = {
  /** Newest first. */
  rows: RunRow[]
  /** The next page's `after`; null at the end. */
  next: string | null
  /** Null where only recordings were asked for. */
  looked: Looked | null
}

export const isStatusGroup = (value: string): value is StatusGroup => Object.hasOwn(STATUS_GROUPS, value)
export const isRowActive = ({ status }: Pick<RunRow, 'status'>): boolean =>
  (STATUS_GROUPS.active as readonly string[]).includes(status)

/** How many threads of a deployment are looked through; the first is the usual number. */
export const DEPTHS = [30, 100, 300] as const

const SPAN = /^(\d{1,4})\s*(m|h|d|w)$/
const MINUTES: Record<string, number> = { m: 1, h: 60, d: 1440, w: 10_080 }

/** A time as filters take it: `90m`, `24h`, `7d`, `2w` before `now`, or a date with or without its time (UTC). Epoch ms. */
export function readMoment(text: string, now: number): number | undefined {
  const [, number, unit] = SPAN.exec(text.trim()) ?? []
  if (number && unit) return now - Number(number) * (MINUTES[unit] ?? 0) * 60_000
  const [, date, time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text.trim()) ?? []
  if (!date) return undefined
  const at = Date.parse(`${date}T${time ?? '00:00'}${time ? zone : 'Z'}`)
  return Number.isNaN(at) ? undefined : at
}

/** What a run of elsewhere is called in a list. */
export const elsewhereId = (deploymentId: string, thread: string, run: string): string =>
  [deploymentId, thread, run].map(encodeURIComponent).join('/')

/** What may be cancelled: a recording by its id, or a run where it is. */
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

/** The other way around from a row's id. */
export function targetOf(rowId: string): RunTarget {
  const [deploymentId, thread, run] = rowId.split('/').map(decode)
  return deploymentId && thread && run
    ? { kind: 'elsewhere', deployment: deploymentId, thread, run }
    : { kind: 'recording', id: rowId }
}

/** What became of one of several runs, by its row's id. `nothing`: it had ended by itself. */
export type RunResult = { id: string; outcome: 'done' | 'nothing' | 'failed'; reason?: string }

/** Runs cancelled at once, at most. */
export const MAX_RUNS = 500
