import type { Message, Part, SendMessageRequest, StreamResponse } from '@a2a-js/sdk'
import * as errors from '@a2a-js/sdk/errors'
import type { AssistantRow } from '../assistants/assistants'
import { collect } from '../testing'
import { A2aAgent, type A2aServices } from './a2a-agent'
import { TASK_STATES } from './a2a-tasks'

/** For tests: an agent over services that note what they are asked for; `a2a.test.ts` has a server. */

type Json = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: tests check what they read by their expectations
export type Any = any
export const THREAD = '0c0ffee0-0000-4000-8000-000000000001'
export const created = new Date('2026-01-02T03:04:05Z')
const run = (more: Json = {}) => ({
  run_id: 'r1',
  thread_id: THREAD,
  status: 'running',
  metadata: {},
  created_at: created,
  ...more,
})

export type World = {
  /** The task that is found; null if there is none. */
  found?: Json | null
  state?: number
  /** Whether a run could be cancelled. */
  cancels?: boolean
  isOn?: boolean
  entries?: { event: string; data: unknown }[]
  fields?: string[]
  page?: Json
  artifacts?: unknown[]
  configs?: Json[]
  fail?: unknown
  version?: '0.3' | '1.0'
  leave?: AbortController
  /** What the events of a run wait for. */
  silence?: Promise<void>
}

/** Services of an agent, and what they were asked for. */
export function servicesOf(world: World = {}) {
  const log: Any[] = []
  const note =
    (what: string, result?: unknown) =>
    async (...given: unknown[]) => {
      log.push([what, ...given])
      return result
    }
  const { entries = [] } = world
  const services = {
    tasks: {
      limitedTo(only: unknown) {
        log.push(['limit', only])
        return this
      },
      find: async (id: string, assistantId: string) => {
        log.push(['find', id, assistantId])
        if (world.found === null) return undefined
        return { id: 't1', run: run(world.found), isNewest: true, state: world.state ?? TASK_STATES.working }
      },
      read: async (found: Any, historyLength: unknown) => ({
        id: found.id,
        contextId: THREAD,
        history: [],
        historyLength,
        artifacts: world.artifacts ?? [{ artifactId: 'final' }],
        status: { state: TASK_STATES.completed },
      }),
      list: async (...given: unknown[]) => {
        log.push(['list', ...given])
        return world.page ?? { tasks: [], total: 0, next: undefined }
      },
      dismiss: note('dismiss'),
    },
    starter: {
      as(caller: unknown) {
        log.push(['as', caller])
        return this
      },
      createSubscribed: async (...given: unknown[]) => {
        log.push(['start', ...given])
        if (world.fail) throw world.fail
        return { row: run({ run_id: 'r9' }), subscription: { release: () => log.push(['release']) } }
      },
    },
    stopper: { waitForEnd: note('wait') },
    readers: {
      async *read(_row: unknown, options: Json) {
        log.push(['read', options.modes])
        await world.silence
        for (const { event, data } of entries) yield [{ id: 1, event, data: JSON.stringify(data) }]
      },
    },
    runs: { cancel: note('cancel', world.cancels ?? true) },
    push: {
      isOn: world.isOn ?? true,
      check: (config: unknown) => void log.push(['check', config]),
      save: async (...given: unknown[]) => {
        log.push(['save', ...given])
        return given[1]
      },
      list: note('configs', world.configs ?? []),
      remove: note('remove'),
      notify: note('notify'),
    },
    inputFields: async () => world.fields,
    logError: (line: string) => log.push(['error', line]),
  } as unknown as A2aServices
  return { services, log, of: (what: string) => log.filter(([kind]) => kind === what) }
}

export function agentOf(world: World = {}) {
  const { services, log, of } = servicesOf(world)
  const assistant = { assistant_id: 'a1', graph_id: 'chat' } as AssistantRow
  const { leave = new AbortController(), version = '1.0' } = world
  const agent = new A2aAgent(services, assistant, errors, leave.signal, version)
  return { agent, handler: agent.asHandler(), log, of }
}

export const part = (content: Part['content']): Part => ({ content, metadata: undefined, filename: '', mediaType: '' })
export const text = (value: string) => part({ $case: 'text', value })
export const data = (value: object) => part({ $case: 'data', value })
export const send = (parts: Part[], more: Partial<Message> = {}, configuration?: Json) =>
  ({ message: { messageId: 'm1', parts, ...more }, configuration }) as unknown as SendMessageRequest
export const payloads = async (events: AsyncGenerator<StreamResponse>) =>
  (await collect(events)).map(({ payload }) => [payload?.$case, payload?.value] as Any)
