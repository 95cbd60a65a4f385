import { type ToWorker, WorkerProgram } from './worker-program'

const program = new WorkerProgram((message) => postMessage(message))
addEventListener('message', ({ data }: MessageEvent<ToWorker>) => program.take(data))
