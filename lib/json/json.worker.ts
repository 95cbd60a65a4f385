import { type ToWorker, WorkerProgram } from './worker-program'

/** The worker: the program, and the page's messages to it. */
const program = new WorkerProgram((message) => postMessage(message))
addEventListener('message', ({ data }: MessageEvent<ToWorker>) => program.take(data))
