import { GraphLoadError } from './assistants/graphs'
import { stackOf } from './kernel/errors'
import { readSettings } from './kernel/settings'
import { type AgentServer, startAgentServer } from './start'

/** The agent server of one deployment as a separate process; its launcher talks to it over IPC. */

const STOP_MS = 4000

const log = (level: 'info' | 'error', message: string, runId?: string) => {
  const stream = level === 'error' ? process.stderr : process.stdout
  stream.write(`${JSON.stringify({ level, message, ...(runId && { run_id: runId }) })}\n`)
}

let server: AgentServer | undefined
let isEnding = false

async function end(code: number): Promise<void> {
  if (isEnding) return
  isEnding = true
  setTimeout(() => process.exit(code), STOP_MS).unref()
  await server?.stop().catch((error: unknown) => log('error', `The stop was not clean: ${stackOf(error)}`))
  process.exit(code)
}

// An unhandled rejection in graph code must not end other runs: it is logged, and the server continues.
process.on('unhandledRejection', (reason) => log('error', `Unhandled rejection: ${stackOf(reason)}`))
// An uncaught exception leaves the process in an unknown state, so it exits. The launcher starts another one, and runs
// resume from their last checkpoint; a run that keeps crashing its processes in one step fails (finish.ts).
process.on('uncaughtException', (error) => {
  log('error', `Uncaught exception; the process exits: ${stackOf(error)}`)
  process.exit(70)
})
process.once('SIGTERM', () => void end(0))
process.once('SIGINT', () => void end(0))
// The launcher died.
process.once('disconnect', () => void end(0))
process.on('message', (message) => {
  if ((message as { drain?: unknown } | null)?.drain !== true) return
  void server?.drain().then(() => process.send?.({ idle: true }))
})

try {
  server = await startAgentServer({ ...readSettings(), log })
  process.send?.({ ready: { port: server.port, authenticates: server.authenticates } })
  log('info', `The agent server listens on port ${server.port}.`)
} catch (error) {
  const { message } = error as Error
  const graph = error instanceof GraphLoadError ? error.graph : undefined
  process.stderr.write(`${graph ? `Graph "${graph}" cannot be loaded: ` : ''}${stackOf(error)}\n`)
  process.send?.({ failed: { ...(graph && { graph }), message } }, () => process.exit(1))
  if (!process.send) process.exit(1)
}
