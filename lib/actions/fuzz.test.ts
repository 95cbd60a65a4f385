import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ACTION_EXAMPLES } from '@/e2e/support/fuzz/actions'
import { spoiled, toText } from '@/e2e/support/fuzz/values'
import { deploymentRecord, SAMPLE_ID } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import type { Result } from '@/lib/errors'
import { signIn, type TestConsole, testActor, testConsole } from '@/lib/server/testing'

// Every server action with spoiled arguments. `scripts/checks/fuzz.mjs` sends the same to the built console.

vi.mock('next/headers', () => import('@/lib/server/access/testing'))

type Action = (...args: unknown[]) => Promise<Result<unknown>>
const files = import.meta.glob<Record<string, Action>>(['./**/*.ts', '!./**/*.test.ts'])
let home: TestConsole
let upstream: StubUpstream
let actions: Record<string, Action>
beforeAll(async () => {
  upstream = await startStubUpstream()
  upstream.respondWith(({ path }) => ({
    body: path === `/v2/deployments/${SAMPLE_ID}` ? deploymentRecord(upstream.url) : {},
  }))
  home = await testConsole({ CONTROL_PLANE_URL: upstream.url, CONTROL_PLANE_API_KEY: 'canary-key' })
  const loaded = await Promise.all(Object.values(files).map((load) => load()))
  actions = Object.fromEntries(loaded.flatMap((file) => Object.entries(file)))
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})

test('each action has an example', () => {
  expect(Object.keys(ACTION_EXAMPLES).sort()).toEqual(Object.keys(actions).sort())
})

test('no action fails by itself, whatever its arguments are', async () => {
  const things: Record<string, string> = { deployment: SAMPLE_ID, spare: SAMPLE_ID, member: SAMPLE_ID }
  const fill = (text: string) =>
    text.replace(/"local"/g, '"default"').replace(/~(\w+)~/g, (_, name: string) => things[name] ?? SAMPLE_ID)
  for (const [index, [name, example]] of Object.entries(ACTION_EXAMPLES).entries()) {
    const [list] = fc.sample(fc.noBias(spoiled(fc.constant(example))), { seed: index, numRuns: 1 })
    const text = fill(toText(list))
    const args: unknown = JSON.parse(text)
    if (!Array.isArray(args)) continue
    // A new one each time, because some actions end sessions.
    await signIn(await testActor({ '*': 'admin' }))
    const result = await actions[name]?.(...args)
    const said = `${name} ${text.slice(0, 500)}: ${JSON.stringify(result).slice(0, 500)}`
    expect(said).not.toMatch(/"code":"internal"/)
    expect(said).not.toContain('canary')
  }
}, 60_000)
