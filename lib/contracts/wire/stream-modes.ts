/**
 * The part of an event's data that belongs to the user and is never redacted: all of it, the first item of a pair, or
 * nothing.
 */
type UserData = 'all' | 'first' | 'none'
type Row = {
  /** Whether the start form offers it. Deprecated and rarely supported modes are not offered. */
  isOffered: boolean
  isDefault: boolean
  /** The names of its events on the wire. */
  events: Record<string, UserData>
}

/**
 * One row per stream mode, in the order of the start form. For a new mode add a row; the compiler then asks for its
 * handler (`lib/stream/modes.ts`), its source (`platform/agent-server/runs/wire/wire-events.ts`) and, if it is offered, its name.
 */
export const STREAM_MODES = {
  'messages-tuple': {
    isOffered: true,
    isDefault: true,
    events: { messages: 'first' },
  },
  values: {
    isOffered: true,
    isDefault: true,
    events: { values: 'all' },
  },
  updates: {
    isOffered: true,
    isDefault: true,
    events: { updates: 'all' },
  },
  custom: {
    isOffered: true,
    isDefault: true,
    events: { custom: 'all' },
  },
  tasks: {
    isOffered: true,
    isDefault: true,
    events: { tasks: 'none' },
  },
  checkpoints: {
    isOffered: true,
    isDefault: false,
    events: { checkpoints: 'none' },
  },
  debug: {
    isOffered: true,
    isDefault: false,
    events: { debug: 'none' },
  },
  events: {
    isOffered: true,
    isDefault: false,
    events: { events: 'none' },
  },
  messages: {
    isOffered: false,
    isDefault: false,
    events: { 'messages/metadata': 'none', 'messages/partial': 'all', 'messages/complete': 'all' },
  },
  tools: {
    isOffered: false,
    isDefault: false,
    events: { tools: 'none' },
  },
  lifecycle: {
    isOffered: false,
    isDefault: false,
    events: { lifecycle: 'none' },
  },
} as const satisfies Record<string, Row>

export type StreamMode = keyof typeof STREAM_MODES
type Offered<Mode extends StreamMode> = (typeof STREAM_MODES)[Mode]['isOffered'] extends true ? Mode : never
export type OfferedStreamMode = { [Mode in StreamMode]: Offered<Mode> }[StreamMode]
type EventsOf<Mode extends StreamMode> = Mode extends StreamMode ? keyof (typeof STREAM_MODES)[Mode]['events'] : never
/** The event names of all modes, without namespaces. */
export type StreamEventName = EventsOf<StreamMode>

const rows: [StreamMode, Row][] = Object.entries(STREAM_MODES) as [StreamMode, Row][] // its keys are the modes
export const STREAM_MODE_NAMES: readonly StreamMode[] = rows.map(([mode]) => mode)
export const OFFERED_STREAM_MODES = rows.flatMap(([mode, row]) => (row.isOffered ? [mode as OfferedStreamMode] : []))
export const DEFAULT_STREAM_MODES: readonly StreamMode[] = rows.flatMap(([mode, row]) => (row.isDefault ? [mode] : []))

/** The event names of a mode; an unknown mode has the event of its own name. */
export const eventsOf = (mode: string): readonly string[] =>
  Object.hasOwn(STREAM_MODES, mode) ? Object.keys(STREAM_MODES[mode as StreamMode].events) : [mode]

const USER_DATA: ReadonlyMap<string, UserData> = new Map(rows.flatMap(([, row]) => Object.entries(row.events)))
/** The part of such events that is never redacted. Unknown events are checked entirely. */
export const userDataOf = (eventName: string): UserData => USER_DATA.get(eventName) ?? 'none'
