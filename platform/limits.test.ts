import { afterAll, beforeAll, expect, test } from 'vitest'
import { pour } from '@/scripts/checks/servers/pour.mjs'
import { createFixture } from './testing/platform-fixture'

let started: Awaited<ReturnType<typeof createFixture>>
beforeAll(async () => {
  started = await createFixture()
})
afterAll(() => started.close())

const MB = 1024 * 1024
const id = '0b0f1d9e-1d6f-4a53-8c8e-0d8f1d3f7c11'

// At once, because each connection is closed a second after its response.
test.concurrent.each([
  ['the control plane', 'POST /v2/deployments', true, 413],
  ['the control plane without a key', 'POST /v2/deployments', false, 401],
  ['the gateway', `POST /agents/${id}/runs/wait`, true, 404],
  ['the gateway without a key', `POST /agents/${id}/runs/wait`, false, 401],
  ['the traces intake', 'POST /runs/batch', true, 413],
  ['the intake of spans', 'POST /otel/v1/traces', true, 413],
  ['a trace query', 'POST /runs/query', true, 413],
  ['a trace query without a key', 'POST /runs/query', false, 401],
])('%s cuts off a body of unknown length that it does not want', async (_, line, hasKey, status) => {
  const { url, apiKey } = started.platform
  const headers = { 'content-type': 'application/json', ...(hasKey && { 'x-api-key': apiKey }) }
  const { response, isWhole } = await pour(Number(new URL(url).port), line, headers, 400 * MB)
  expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(isWhole).toBe(false)
})
