import type { RunCreate } from '@/lib/contracts/agents/runs'
import { isRecord } from '@/lib/json/guards'
import { invalid } from '../kernel/errors'
import { openInterrupts } from '../threads/state'
import type { ThreadStates } from '../threads/thread-state'
import type { Threads } from '../threads/threads'

/**
 * With `strict_resume`, an answer must match an open interrupt: by id if the answer is a
 * map of ids, otherwise the only open one. Throws a 422 if it does not.
 */
export async function checkResume(
  threadId: string | undefined,
  { strict_resume, command }: RunCreate,
  threads: Threads,
  states: ThreadStates,
): Promise<void> {
  const answer = command?.resume
  if (!strict_resume || answer === undefined) return
  const refuse = (msg: string) => invalid(['body', 'command', 'resume'], msg)
  if (threadId === undefined) throw refuse('A run without a thread has nothing to resume')
  const open = openInterrupts(await states.snapshot(await threads.get(threadId)))
  const ids = Object.values(open).flatMap((interrupts) => interrupts.map(({ id }) => String(id)))
  if (ids.length === 0) throw refuse(`Thread ${threadId} has no open interrupt`)
  const named = isRecord(answer) ? Object.keys(answer) : []
  // Interrupt ids are hashes: an object with other keys is itself the answer.
  if (named.length > 0 && named.every((name) => /^[0-9a-f]{32}$/.test(name))) {
    const unknown = named.find((name) => !ids.includes(name))
    if (unknown) throw refuse(`Interrupt ${unknown} is not open. Open interrupts: ${ids.join(', ')}`)
  } else if (ids.length > 1) throw refuse(`Several interrupts are open. Answer them by id: ${ids.join(', ')}`)
}
