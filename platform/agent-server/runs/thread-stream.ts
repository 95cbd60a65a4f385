import { THREAD_STREAM_MODES } from '@/lib/contracts/agents/runs'
import { HttpError, invalid } from '../kernel/errors'
import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { encode } from '../threads/messages'
import type { ThreadStates } from '../threads/thread-state'
import type { Threads } from '../threads/threads'
import type { RunReaders } from './run-readers'
import { type Cursor, type Frame, ThreadReader, type ThreadView } from './thread-reader'
import type { ThreadWatch } from './thread-watch'

type Mode = (typeof THREAD_STREAM_MODES)[number]
type Options = { modes: readonly string[] | undefined; lastEventId: string | null; signal: AbortSignal }

/**
 * One stream of all runs of a thread, until the reader leaves or the thread is deleted. Modes: `run_modes` (the runs'
 * events), `lifecycle` (only metadata, error and end), `state_update` (the thread's state after each run and update).
 */
export class ThreadStreams {
  constructor(
    private readonly db: Db,
    private readonly bus: Bus,
    private readonly threads: Threads,
    private readonly states: ThreadStates,
    private readonly readers: RunReaders,
    private readonly watch: ThreadWatch,
  ) {}

  /** The thread's state was updated by a request. */
  changed(threadId: string): void {
    this.bus.tellThread({ thread: threadId.toLowerCase() })
  }

  /** Throws 404 and 422. Resolves once no event can be missed. */
  async open(threadId: string, { modes, lastEventId, signal }: Options): Promise<ReadableStream<Uint8Array>> {
    const thread = await this.threads.get(threadId)
    const view = this.#viewOf(thread.thread_id, readModes(modes))
    const { db, bus, readers, watch } = this
    return new ThreadReader({ db, bus, readers, watch }, thread.thread_id, view, signal).open(readCursor(lastEventId))
  }

  #viewOf(threadId: string, modes: ReadonlySet<Mode>): ThreadView {
    const wants = modes.has('run_modes') || modes.has('lifecycle')
    const state = async ({ seq, id }: Cursor): Promise<Frame[]> => {
      const state = await this.states.read(threadId).catch((error) => {
        if (error instanceof HttpError) return undefined
        throw error
      })
      return state ? [{ id: `${seq}-${id}`, event: 'state_update', data: encode(state) }] : []
    }
    return {
      // Only start and end unless the runs' own events are requested.
      wanted: { modes: modes.has('run_modes') ? undefined : [] },
      framesOf: ({ seq }, entries, after) =>
        wants ? entries.map(({ id, event, data }) => ({ id: `${seq}-${Math.max(id, after + 1)}`, event, data })) : [],
      ...(modes.has('state_update') && { afterChange: state }),
    }
  }
}

function readModes(given: readonly string[] | undefined): ReadonlySet<Mode> {
  const modes = given?.length ? given : ['run_modes']
  for (const mode of modes)
    if (!(THREAD_STREAM_MODES as readonly string[]).includes(mode))
      throw invalid(['query', 'stream_mode'], `Input should be ${THREAD_STREAM_MODES.join(', ')}`, 'enum')
  return new Set(modes as Mode[])
}

/** `-` and `-1` mean everything stored. Any other invalid id is ignored. */
function readCursor(header: string | null): Cursor | undefined {
  if (header === '-' || header === '-1') return { seq: 0, id: -1 }
  const [, seq, id] = /^(\d{1,15})-(\d{1,15})$/.exec(header ?? '') ?? []
  return seq === undefined ? undefined : { seq: Number(seq), id: Number(id) }
}
