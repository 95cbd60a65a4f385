// What the sample agents did, for pictures of pages with something on them.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../bootstrap.mjs'

/** Calls the embedded platform. Returns the JSON of its response, if there is some. */
export async function ask(method, resource, body) {
  const data = readFileSync(path.join(root, 'test-results/e2e-data.txt'), 'utf8')
  const { url, api_key } = JSON.parse(readFileSync(path.join(data, 'platform.json'), 'utf8'))
  const response = await fetch(url + resource, {
    method,
    headers: { 'x-api-key': api_key, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${resource}: ${response.status} ${await response.text()}`)
  const text = await response.text()
  return text && JSON.parse(text)
}

/** Runs, an interrupt, a failed run, a cron and items, so that no page is empty. Returns where they are. */
export async function fill() {
  const { resources } = await ask('GET', '/v2/deployments')
  const idOf = (name) => resources.find((one) => one.name === name)?.id
  const [concierge, workbench] = [idOf('concierge'), idOf('workbench')]
  for (const { id, latest_revision_id } of resources) await untilDeployed(id, latest_revision_id)
  const say = (content, extra = {}) => ({
    input: { messages: [{ role: 'user', content }] },
    context: { delay_ms: 0 },
    ...extra,
  })
  const on = (deployment) => async (assistant_id, body) => {
    const { thread_id } = await ask('POST', `/agents/${deployment}/threads`, {})
    await ask('POST', `/agents/${deployment}/threads/${thread_id}/runs/wait`, { assistant_id, ...body }).catch(() => {})
    return thread_id
  }
  const talk = on(concierge)
  const thread = await talk('chat', say('A berth costs 42 euros a night. What is 3 * 42 + 18?'))
  await talk('chat', say('What time is it?'))
  await talk('chat', say('What is 12 * (3 + 4)?'))
  for (const recipient of ['the board', 'ada@example.com'])
    await talk('approval', { ...say('Write to them about the winter rates'), context: { delay_ms: 0, recipient } })
  const { assistant_id } = await ask('POST', `/agents/${concierge}/assistants`, {
    graph_id: 'chat',
    name: 'night shift',
    context: { delay_ms: 40 },
  })
  await ask('POST', `/agents/${concierge}/runs/crons`, {
    assistant_id,
    schedule: '0 7 * * *',
    input: { messages: [{ role: 'user', content: 'What is on today?' }] },
  })
  await fillStore(concierge)
  await redeploy(workbench)
  await on(workbench)('failing', { input: { order: 'B-7' } })
  return { concierge, workbench, thread }
}

/** A second revision, so that there is one to go back to. */
async function redeploy(deployment) {
  const secrets = [{ name: 'PROVIDER_API_KEY', value: 'example' }]
  const { latest_revision_id: revision } = await ask('PATCH', `/v2/deployments/${deployment}`, { secrets })
  await untilDeployed(deployment, revision)
}

async function untilDeployed(deployment, revision) {
  while ((await ask('GET', `/v2/deployments/${deployment}/revisions/${revision}`)).status !== 'DEPLOYED')
    await pause(200)
}

/** @param {string} deployment */
async function fillStore(deployment) {
  const items = { ada: { berth: 12, likes: ['jazz', 'early breakfast'] }, grace: { berth: 7, likes: ['quiet'] } }
  for (const [key, value] of Object.entries(items))
    await ask('PUT', `/agents/${deployment}/store/items`, { namespace: ['guests'], key, value })
}
