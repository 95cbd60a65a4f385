type ThreadCase = {
  what: string
  status: string | null
  interrupts?: (string | null)[] | undefined
  /** Its runs in progress, if the server lists them. */
  active?: string[] | undefined
  isContinued: boolean
}

/** Threads of the run `r` that stopped at the question `q`: what the server says of each, and whether it has gone on since. */
export const THREADS_NOW: ThreadCase[] = [
  { what: 'ended', status: 'idle', interrupts: [], isContinued: true },
  { what: 'answered, and the answer failed', status: 'error', interrupts: ['q'], isContinued: true },
  { what: 'busy with the run, whose end it does not know yet', status: 'busy', active: ['r'], isContinued: false },
  { what: 'busy with nobody knows what', status: 'busy', active: undefined, isContinued: false },
  { what: 'answered, and the answer is running', status: 'busy', interrupts: [], active: ['s'], isContinued: true },
  {
    what: 'asking, and another run is queued',
    status: 'busy',
    interrupts: ['q'],
    active: ['r', 's'],
    isContinued: true,
  },
  { what: 'asking the same', status: 'interrupted', interrupts: ['q'], isContinued: false },
  { what: 'asking the same and more', status: 'interrupted', interrupts: ['r', 'q'], isContinued: false },
  { what: 'asking something else', status: 'interrupted', interrupts: ['r'], isContinued: true },
  { what: 'asking something without an id', status: 'interrupted', interrupts: [null], isContinued: false },
  {
    what: 'stopped, but its state was changed so that it asks no more',
    status: 'interrupted',
    interrupts: [],
    isContinued: true,
  },
  { what: 'on a server that lists no questions', status: 'interrupted', interrupts: undefined, isContinued: false },
  { what: 'of an unknown status', status: null, interrupts: undefined, isContinued: false },
]

/** As a server sends the questions: by the tasks that ask them. */
export const askedBy = (interrupts: (string | null)[] | undefined) =>
  interrupts && { task: interrupts.map((id) => ({ id, value: 'ok?' })) }
