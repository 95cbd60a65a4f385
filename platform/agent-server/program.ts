import { GraphLoadError } from './assistants/graphs'
import { stackOf } from './kernel/errors'
import type { AgentServer, AgentServerOptions } from './start'

const STOP_MS = 4000

/** What the program uses of its process. */
type Host = Pick<NodeJS.Process, 'exit' | 'send'> & {
  on(event: string, listener: (given: unknown) => void): unknown
  once(event: string, listener: () => void): unknown
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
}
type Log = NonNullable<AgentServerOptions['log']>

/** The agent server of one deployment as a separate process; its launcher talks to it over IPC. */
export async function runProgram(host: Host, start: (log: Log) => Promise<AgentServer>): Promise<void> {
  const log: Log = (level, message, runId) => {
    const stream = level === 'error' ? host.stderr : host.stdout
    stream.write(`${JSON.stringify({ level, message, ...(runId && { run_id: runId }) })}\n`)
  }

  let server: AgentServer | undefined
  let isEnding = false

  async function end(code: number): Promise<void> {
    if (isEnding) return
    isEnding = true
    setTimeout(() => host.exit(code), STOP_MS).unref()
    await server?.stop().catch((error: unknown) => log('error', `The stop was not clean: ${stackOf(error)}`))
    host.exit(code)
  }

  // An unhandled rejection in graph code must not end other runs: it is logged, and the server continues.
  host.on('unhandledRejection', (reason) => log('error', `Unhandled rejection: ${stackOf(reason)}`))
  // An uncaught exception leaves the process in an unknown state, so it exits. The launcher starts another one, and runs
  // resume from their last checkpoint; a run that keeps crashing its processes in one step fails (finish.ts).
  host.on('uncaughtException', (error) => {
    log('error', `Uncaught exception; the process exits: ${stackOf(error)}`)
    host.exit(70)
  })
  host.once('SIGTERM', () => void end(0))
  host.once('SIGINT', () => void end(0))
  // The launcher died.
  host.once('disconnect', () => void end(0))
  host.on('message', (message) => {
    const { ping, drain } = (message ?? {}) as { ping?: unknown; drain?: unknown }
    if (ping === true) host.send?.({ pong: true })
    if (drain !== true) return
    void server?.drain().then(() => host.send?.({ idle: true }))
  })

  try {
    server = await start(log)
    host.send?.({ ready: { port: server.port, authenticates: server.authenticates } })
    log('info', `The agent server listens on port ${server.port}.`)
  } catch (error) {
    const { message } = error as Error
    const graph = error instanceof GraphLoadError ? error.graph : undefined
    host.stderr.write(`${graph ? `Graph "${graph}" cannot be loaded: ` : ''}${stackOf(error)}\n`)
    host.send?.({ failed: { ...(graph && { graph }), message } }, () => host.exit(1))
    if (!host.send) host.exit(1)
  }
}
