import { existsSync } from 'node:fs'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, createFixture } from './testing/platform-fixture'

// The documented API over HTTP, against real agent servers and the sample graphs, as a user's script would use it.

type Started = Awaited<ReturnType<typeof createFixture>>
let started: Started
let client: ReturnType<typeof createClient>

beforeAll(async () => {
  expect(existsSync('.build/agent-server.mjs')).toBe(true)
  started = await createFixture({ agentServerEntry: undefined, withSamples: true, readyTimeoutMs: 60_000 })
  client = createClient(started.platform)
}, 60_000)
afterAll(() => started?.close(), 30_000)

async function concierge() {
  for (let tries = 0; tries < 100; tries++) {
    const { body } = await client.get('/v2/deployments?name_contains=concierge')
    if (body.resources[0]) return body.resources[0]
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the samples were not deployed')
}

describe('the interface, end to end', () => {
  test('quick-start: create, get, poll until DEPLOYED, patch a secret, and the agent of the second revision sees it', async () => {
    const sample = await concierge()
    const created = await client.request('POST', '/v2/deployments', {
      name: 'quick-start',
      source: 'github',
      source_config: {
        integration_id: sample.source_config.integration_id,
        repo_url: sample.source_config.repo_url,
        deployment_type: 'dev',
        build_on_push: false,
      },
      source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
      secrets: [],
    })
    expect(created.status).toBe(201)
    const { id, latest_revision_id: first } = created.body
    await client.waitForStatus(id, first, 'DEPLOYED')
    const { body: deployment } = await client.get(`/v2/deployments/${id}`)
    expect(deployment).toMatchObject({ status: 'READY', active_revision_id: first })

    const sdk = new Client({ apiUrl: deployment.source_config.custom_url, apiKey: started.platform.apiKey })
    const say = async () => {
      const values = await sdk.runs.wait(null, 'chat', {
        input: { messages: [{ role: 'user', content: 'Hello' }] },
        context: { delay_ms: 0 },
      })
      return JSON.stringify(values)
    }
    expect(await say()).toContain('Nobody has given me a greeting yet')

    const patched = await client.patch(`/v2/deployments/${id}`, { secrets: [{ name: 'GREETING', value: 'ahoy' }] })
    expect(patched.status).toBe(200)
    const second = patched.body.latest_revision_id
    expect(second).not.toBe(first)
    await client.waitForStatus(id, second, 'DEPLOYED')
    expect(await say()).toContain('ahoy')
    expect(await client.log(id, second, 'deploy')).not.toContain('ahoy')
  }, 90_000)

  test("the SDK's client chats on a thread: tokens one by one, then the state has the reply", async () => {
    const sample = await concierge()
    await client.waitForStatus(sample.id, sample.latest_revision_id, 'DEPLOYED')
    const { body: deployment } = await client.get(`/v2/deployments/${sample.id}`)
    const sdk = new Client({ apiUrl: deployment.source_config.custom_url, apiKey: started.platform.apiKey })
    const thread = await sdk.threads.create()
    const events: { event: string; data: unknown }[] = []
    for await (const event of sdk.runs.stream(thread.thread_id, 'chat', {
      input: { messages: [{ role: 'user', content: 'What is 12 * (3 + 4)?' }] },
      context: { delay_ms: 1 },
      streamMode: ['messages-tuple', 'updates'],
    }))
      events.push(event as { event: string; data: unknown })

    expect(events[0]).toMatchObject({ event: 'metadata', data: { run_id: expect.any(String), attempt: 1 } })
    const tokens = events
      .filter(({ event }) => event === 'messages')
      .map(({ data }) => data as [{ content: string; type: string }, Record<string, unknown>])
    expect(tokens.length).toBeGreaterThan(20)
    expect(tokens[0]?.[1]).toHaveProperty('graph_node')
    expect(events.filter(({ event }) => event === 'updates').length).toBeGreaterThan(1)

    const state = await sdk.threads.getState<{ messages: { type: string; content: string }[] }>(thread.thread_id)
    const messages = state.values.messages
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai'])
    expect(messages.at(-1)?.content).toContain('84')
    const [run] = await sdk.runs.list(thread.thread_id)
    expect(run?.status).toBe('success')
  }, 60_000)

  test('a wrong key is refused on the control plane and on every deployment', async () => {
    const sample = await concierge()
    const refused = await fetch(`${started.platform.url}/v2/deployments`, { headers: { 'x-api-key': 'wrong' } })
    expect([401, 403]).toContain(refused.status)
    const agent = await fetch(`${started.platform.url}/agents/${sample.id}/ok`, { headers: { 'x-api-key': 'wrong' } })
    expect([401, 403]).toContain(agent.status)
    expect(await agent.json()).toHaveProperty('detail')
  })
})
