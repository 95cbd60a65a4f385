import 'server-only'
import type { RunPlace } from './source/run-source'

/** One recorder at work in this process. */
export type ActiveRecorder = {
  readonly place: RunPlace
  /** Something about the run changed elsewhere, such as a cancel: check it now. */
  poke(): void
  /** Stops following without an end entry. `lost`: another instance took over. */
  stop(why: 'shutdown' | 'lost'): Promise<void>
}
