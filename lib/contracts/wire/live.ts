/**
 * The protocol of `POST /api/live`: one stream per browser carries all subscriptions. The body is `{ subscriptions }`;
 * the answer is server-sent events named `frame`, each a `LiveFrame` as JSON. To change the set, post again with the cursors reached.
 */
export type Subscription = { id: string; workspace: string } & (
  | {
      kind: 'recording'
      recording: string
      /** Last `seq` had; 0 = from the start. */
      cursor: number
      /** Of the frames that brought the cursor there; needed from the second post on. */
      epoch?: number
    }
  | { kind: 'recordings'; deployment?: string }
  /** Recordings and runs of elsewhere, as a page of the list asks for them. */
  | { kind: 'runs'; query: Record<string, string | number | boolean> }
  | { kind: 'deployments'; query: Record<string, string | number | boolean> }
  | { kind: 'deployment'; deployment: string }
  | { kind: 'revisions'; deployment: string; query?: Record<string, string | number | boolean> }
  | { kind: 'revision'; deployment: string; revision: string }
  | {
      kind: 'logs'
      deployment: string
      revision: string
      type: 'build' | 'deploy'
      /** Lines of this level and above only. */
      level?: string
      /** Lines with this text only. */
      query?: string
      /** Last `seq` had; 0 = from the first line that the server still holds. Lines are numbered within one epoch. */
      cursor: number
      epoch?: number
    }
  | { kind: 'thread'; deployment: string; thread: string }
  /** Threads of all deployments that wait for a human; in brief only how many. */
  | { kind: 'inbox'; isBrief?: boolean }
)
export type SubscriptionKind = Subscription['kind']

/** `id` names the subscription. `entries` are those of a recording or a log's lines, `value` is a record that replaced the last one. */
export type LiveFrame =
  | {
      id: string
      /** An array, or a list that reads each entry when it is asked for. */
      entries: Iterable<unknown> & { readonly length: number; at(index: number): unknown }
      /** Entries in the log, for "replaying k of n". */
      total: number
      /** Counts how often a crash of the recording server cut the log's end off; of logs any number. Entries keep their `seq` within one epoch. */
      epoch: number
      phase: 'starting' | 'live' | 'reconnecting' | 'ended'
    }
  /**
   * Begins another epoch, or leaves lines out: what follows comes after `cursor`. Of a recording that lost its end in a
   * crash that is where the subscription was, or 0 if that is lost; a log may be numbered again, or its oldest lines were let go.
   */
  | { id: string; reset: true; epoch: number; cursor: number }
  /** `at` is when the value was read, epoch ms. */
  | { id: string; value: unknown; at: number }
  | { id: string; error: { code: string; message: string }; at: number }
  /** The viewer was too slow or the server is stopping: connect again with the cursors reached. */
  | { resume: true; reason: 'slow' | 'shutdown' }
  /** The viewer may not see anything any more. */
  | { ended: true; reason: string }

/** Most subscriptions of one post. */
export const MAX_SUBSCRIPTIONS = 200
