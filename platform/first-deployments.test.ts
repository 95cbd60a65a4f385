import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Command, MemorySaver } from '@langchain/langgraph'
import { describe, expect, test, vi } from 'vitest'
import { createFixture, waitFor } from './testing/platform-fixture'

vi.setConfig({ testTimeout: 60_000 })

test('the first start creates a repository and two deployments from it; a deleted one does not come back', async () => {
  const fixture = await createFixture({ withSamples: true })
  try {
    const list = async () =>
      (await fixture.client.get('/v2/deployments')).body.resources as {
        id: string
        name: string
        source_config: { repo_url: string }
      }[]
    const made = await list()
    expect(made.map((one) => one.name).sort()).toEqual(['concierge', 'workbench'])
    const repository = path.join(fixture.folder, 'data/repositories/samples')
    expect(made[0]?.source_config.repo_url).toBe(repository)
    expect(execFileSync('git', ['log', '--format=%an %s'], { cwd: repository, encoding: 'utf8' })).toBe(
      'Pilothouse Sample graphs\n',
    )
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: repository, encoding: 'utf8' })).toBe('')
    expect(
      readdirSync(repository)
        .filter((name) => name !== '.git')
        .sort(),
    ).toEqual(readdirSync('platform/samples').sort())

    await fixture.client.request('DELETE', `/v2/deployments/${made[0]?.id}`)
    await waitFor('it is gone', async () => (await list()).length === 1)
    await fixture.platform.stop()
    await fixture.start()
    expect(await list()).toHaveLength(1)
    expect(fixture.lines).toEqual([])
  } finally {
    await fixture.close()
  }
})

type Sample = {
  invoke(input: unknown, options?: unknown): Promise<Record<string, never>>
  stream(input: unknown, options: unknown): Promise<AsyncIterable<[string[], string, unknown]>>
  checkpointer: unknown
}
const load = async (name: string): Promise<Sample> => {
  const file = pathToFileURL(path.resolve('platform/samples', `${name}.mjs`)).href
  return ((await import(/* @vite-ignore */ file)) as { graph: Sample }).graph
}
const says = (content: string) => ({ messages: [{ role: 'user', content }] })
const texts = (state: Record<string, unknown>) => (state.messages as { text: string }[]).map((message) => message.text)
const fast = { context: { delay_ms: 0 } }

describe('the sample graphs', () => {
  test('chat streams its reply word by word over several seconds, always the same, and shows the greeting it was given', async () => {
    const chat = await load('chat')
    const began = Date.now()
    let tokens = 0
    for await (const _ of await chat.stream(says('hello'), { streamMode: ['messages'], subgraphs: true })) tokens += 1
    expect(tokens).toBeGreaterThan(100)
    expect(Date.now() - began).toBeGreaterThan(2500)
    const [first, second] = [
      texts(await chat.invoke(says('hello'), fast)),
      texts(await chat.invoke(says('hello'), fast)),
    ]
    expect(first).toEqual(second)
    vi.stubEnv('GREETING', 'ahoy')
    expect(texts(await chat.invoke(says('hello'), fast)).at(-1)).toContain('My greeting today is "ahoy"')
    vi.unstubAllEnvs()
    expect(texts(await chat.invoke(says('hello'), { context: { delay_ms: 0, persona: 'a pirate' } })).at(-1)).toContain(
      'I am a pirate',
    )
  })

  test('chat calls its tools when asked to calculate or for the time, and reports when a tool fails', async () => {
    const chat = await load('chat')
    const reply = async (question: string) => texts(await chat.invoke(says(question), fast))
    expect((await reply('what is 12 * (3 + 4) - 2?')).at(-1)).toContain('The calculator says: 82.')
    expect(await reply('what time is it?')).toHaveLength(4)
    expect((await reply('what is 1 / (2 + ?')).length).toBeGreaterThanOrEqual(2)
  })

  test('approval waits for a person and follows the answer', async () => {
    const approval = await load('approval')
    approval.checkpointer = new MemorySaver()
    for (const [answer, decision, said] of [
      ['approve', 'approved', /^Sent to/],
      [{ type: 'edit', text: 'Short.' }, 'edited', /Sent as you changed it.*Short\./],
      [{ type: 'reject' }, 'rejected', /^Not sent/],
    ] as const) {
      const options = { ...fast, configurable: { thread_id: decision } }
      const waiting = await approval.invoke(says('the launch'), options)
      expect(waiting.__interrupt__).toMatchObject([{ value: { options: ['approve', 'edit', 'reject'] } }])
      const done = await approval.invoke(new Command({ resume: answer }), options)
      expect(done.decision).toBe(decision)
      expect(texts(done).at(-1)).toMatch(said)
    }
  })

  test('research streams tokens and custom events from inside its subgraph', async () => {
    const research = await load('research')
    const seen = new Set<string>()
    const options = {
      context: { delay_ms: 0, depth: 2 },
      streamMode: ['custom', 'messages', 'updates'],
      subgraphs: true,
    }
    for await (const [namespace, mode] of await research.stream(says('foghorns'), options))
      seen.add([...namespace.map((part) => part.split(':')[0]), mode].join(' '))
    expect([...seen]).toEqual(
      expect.arrayContaining(['look write messages', 'look custom', 'look updates', 'custom', 'updates']),
    )
    expect((await research.invoke(says('foghorns'), { context: options.context })).findings).toHaveLength(2)
  })

  test('fanout runs its workers at once, failing fails in its third step, archive fills the requested size', async () => {
    const fanout = await load('fanout')
    const reports: { worker: number; percent: number }[] = []
    let total: unknown
    const options = { context: { slowest_ms: 300 }, streamMode: ['custom', 'values'], subgraphs: true }
    for await (const [, mode, chunk] of await fanout.stream({ workers: 20 }, options)) {
      if (mode === 'values') total = (chunk as { total: number }).total
      else if ('worker' in (chunk as object)) reports.push(chunk as (typeof reports)[number])
    }
    expect(total).toBe(2470)
    // They run at the same time; one after the other would take longer than the slowest.
    const slowest = 17
    const end = reports.findIndex(({ worker, percent }) => worker === slowest && percent === 100)
    expect(new Set(reports.slice(0, end).map(({ worker }) => worker)).size).toBe(20)
    const failing = await load('failing')
    await expect(failing.invoke({ order: 'B-7' })).rejects.toThrow('The payment of order B-7 was declined')
    expect(await failing.invoke({}, { context: { card: 'accepted' } })).toMatchObject({
      checked: true,
      reserved: true,
      paid: true,
    })
    const size = JSON.stringify(await (await load('archive')).invoke({ megabytes: 1 })).length
    expect(Math.abs(size - 1_000_000)).toBeLessThan(100_000)
  })
})
