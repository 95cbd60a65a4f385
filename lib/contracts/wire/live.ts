import type { LiveError } from '@/lib/errors'

/**
 * The protocol of `POST /api/live`: one stream per browser carries all subscriptions. The response has server-sent
 * events named `frame`, each a `LiveFrame`; to change the subscriptions, post again with the current cursors.
 */
export type Subscription = { id: string; workspace: string } & (
  | {
      kind: 'recording'
      recording: string
      /** Last `seq` received; 0 = from the start. */
      cursor: number
      /** Epoch of the frames up to the cursor; needed from the second post on. */
      epoch?: number
    }
  | { kind: 'recordings'; deployment?: string }
  /** Recordings and other runs, by the query of a list page. */
  | { kind: 'runs'; query: Record<string, string | number | boolean> }
  | { kind: 'deployments'; query: Record<string, string | number | boolean> }
  | { kind: 'deployment'; deployment: string }
  | { kind: 'revisions'; deployment: string; query?: Record<string, string | number | boolean> }
  | { kind: 'revision'; deployment: string; revision: string }
  | {
      kind: 'logs'
      deployment: string
      /** Absent for the lines of all revisions. */
      revision?: string
      type: 'build' | 'deploy'
      /** Only lines between these two times, ISO 8601. */
      from?: string
      to?: string
      /** Only lines of this level and above. */
      level?: string
      /** Only lines with this text. */
      query?: string
      /** Last `seq` received; 0 = from the first line the server still has. Lines are numbered within one epoch. */
      cursor: number
      epoch?: number
    }
  | { kind: 'thread'; deployment: string; thread: string }
  /** All threads of a workspace that need input; brief: only their number. */
  | { kind: 'inbox'; isBrief?: boolean }
)
export type SubscriptionKind = Subscription['kind']

/**
 * `id` names the subscription. `entries` are a recording's entries or a log's lines; `value` is a record that replaces
 * the last one.
 */
export type LiveFrame =
  | {
      id: string
      /** An array, or a list that decodes entries on access. */
      entries: Iterable<unknown> & { readonly length: number; at(index: number): unknown }
      /** Number of entries in the log, for "replaying k of n". */
      total: number
      /**
       * For recordings, how often a crash cut off the log's end; for logs, any number. Entries keep their `seq` within
       * one epoch.
       */
      epoch: number
      phase: 'starting' | 'live' | 'reconnecting' | 'ended'
    }
  /**
   * Begins another epoch, or skips lines: the next entries come after `cursor`. A recording that lost its end in a
   * crash continues where the subscription was, or at 0 if that is lost.
   */
  | { id: string; reset: true; epoch: number; cursor: number }
  /** `at`: when the value was read, epoch ms. */
  | { id: string; value: unknown; at: number }
  | { id: string; error: LiveError; at: number }
  /** The viewer was too slow, or the server is stopping: reconnect with the current cursors. */
  | { resume: true; reason: 'slow' | 'shutdown' | 'rights' }
  /** The viewer's session is over. */
  | { ended: true; reason: string }

/** Most subscriptions per post. */
export const MAX_SUBSCRIPTIONS = 200
