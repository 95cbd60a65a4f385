import type { Page } from '@playwright/test'
import { SAMPLE_ID } from './support/sample-inputs'
import { expect, expectAccessible, test } from './support/session'
import { startStubAgent } from './support/stub-agent'
import type { Reply, Seen } from './support/stub-upstream'
import { addAgentServer } from './support/workspace'

const THREAD = '6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f00cc'
const thread = {
  thread_id: THREAD,
  status: 'interrupted',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  metadata: { graph_id: 'chat', assistant_id: SAMPLE_ID },
  interrupts: { ask: [{ id: 'question', value: 'Shall it be sent?' }] },
}
/** `checkpoint-0` no longer exists. */
const checkpointOf = (step: number) => ({ thread_id: THREAD, checkpoint_ns: '', checkpoint_id: `checkpoint-${step}` })
const stateAt = (step: number) => ({
  values: { messages: [{ type: 'human', id: 'one', content: 'the harvest festival' }], draft: 'A first draft' },
  next: ['review'],
  tasks: [{ id: 'ask', name: 'review', interrupts: [{ id: 'question', value: 'Shall it be sent?' }] }],
  checkpoint: checkpointOf(step),
  metadata: { source: 'loop', step },
  created_at: `2026-01-01T00:00:0${step}Z`,
  parent_checkpoint: checkpointOf(step - 1),
})

const schemas = {
  graph_id: 'chat',
  input_schema: { type: 'object', properties: { messages: { type: 'array' } } },
  state_schema: {
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    $ref: '#/$defs/node',
  },
  output_schema: { type: 'object', properties: 7, required: 'nothing' },
}

/** A minimal server: assistants, threads and their states. No counts, copies, crons, store, protocols or `/ok`. */
function respond({ method, path, body }: Seen): Reply | undefined {
  const [resource = ''] = path.split('?')
  if (/\/(versions|graph|subgraphs|count|copy|prune)$/.test(resource)) return { status: 404, body: 'Not Found' }
  if (resource.endsWith('/schemas')) return { body: schemas }
  if (resource === '/threads/search') return { body: [thread] }
  if (resource === `/threads/${THREAD}`) return { body: thread }
  if (resource === `/threads/${THREAD}/state`) return { body: stateAt(2) }
  if (resource === `/threads/${THREAD}/history` && method === 'POST') return { body: [stateAt(2), stateAt(1)] }
  if (resource === `/threads/${THREAD}/state/checkpoint`)
    return body.includes('checkpoint-2')
      ? { body: stateAt(2) }
      : { status: 404, body: { detail: 'Checkpoint checkpoint-1 not found' } }
  if (resource === `/threads/${THREAD}/runs`) return { body: [] }
  return undefined
}

test('with a partial agent server, each page works or says what is missing and why', async ({ page }) => {
  const agent = await startStubAgent(respond)
  try {
    const workspace = await addAgentServer(page, { name: `part ${test.info().retry}`, url: agent.url })
    const home = new URL(page.url()).pathname
    const open = async (part: string) => {
      await page.goto(home + part)
      await expect(page.locator('main h1').first()).toBeVisible()
    }
    await page.goto(`${home}/assistants`)
    await page.getByRole('table', { name: 'Assistants' }).getByRole('link', { name: 'chat' }).first().click()
    await expect(page.getByRole('heading', { name: 'chat', exact: true })).toBeVisible()
    await page.getByRole('tab', { name: 'Schemas' }).click()
    await saysQuietly(page, 'The server does not provide this schema.')
    const fields = page.getByRole('region', { name: 'Fields' })
    await page.getByRole('combobox', { name: 'Schema' }).selectOption('input_schema')
    await expect(fields).toContainText('messages')
    await page.getByRole('combobox', { name: 'Schema' }).selectOption('state_schema') // a recursive schema
    await expect(fields).toContainText('next')
    await page.getByRole('combobox', { name: 'Schema' }).selectOption('output_schema') // an invalid schema
    await expect(page.getByRole('tree', { name: 'Schema as JSON' })).toContainText('properties: 7')
    for (const [tab, words] of [
      ['Versions', 'This server does not keep assistant versions.'],
      ['Graph', 'This server does not provide graph drawings.'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      await saysQuietly(page, words)
    }

    await open('/threads')
    const row = page.getByRole('table', { name: 'Threads' }).locator('tr[data-key]')
    await expect(row).toHaveCount(1)
    await row.getByRole('link').first().click()
    await expect(page.getByRole('region', { name: 'Conversation' })).toContainText('the harvest festival')
    await page.getByRole('button', { name: 'Inspector', exact: true }).click()
    await page.getByRole('tab', { name: 'State' }).click()
    await expect(page.getByRole('tree', { name: 'State' })).toContainText('A first draft')
    await page.getByRole('tab', { name: 'History' }).click()
    const checkpoints = page.getByRole('navigation', { name: 'Checkpoints' })
    await saysQuietly(page, 'Older checkpoints were removed.')
    await checkpoints.getByRole('button', { name: /Step 2.*needs input/ }).click()
    await expect(page.getByRole('tree', { name: 'State at this checkpoint' })).toContainText('A first draft')
    await checkpoints.getByRole('button', { name: /Step 1/ }).click()
    await saysQuietly(page, 'This checkpoint was removed.')

    await page.goto(`/${workspace}/inbox`)
    await expect(page.getByRole('table', { name: 'Waiting threads' })).toContainText('Shall it be sent?')

    for (const [part, title, words] of [
      ['/crons', 'No crons on this server', 'crons'],
      ['/store', 'No store on this server', 'a store'],
      ['/mcp', 'No MCP on this server', 'MCP endpoints'],
      ['/a2a', 'No A2A on this server', 'agent-to-agent endpoints'],
    ] as const) {
      await open(part)
      await expect(page.getByText(title)).toBeVisible()
      await saysQuietly(page, `This agent server does not offer ${words} (it responded with status 404).`)
    }
    await open('/system')
    await expect(page.getByRole('region', { name: 'Server' })).toContainText('1.0.0')
    await saysQuietly(page, 'This agent server does not offer metrics (it responded')
    await saysQuietly(page, 'This agent server does not offer getOk (it responded')
    await expectAccessible(page)
  } finally {
    await agent.stop()
  }
})

test('a state beyond what JSON parsers preserve is shown exactly: odd keys and numbers, any depth, long strings', async ({
  page,
}) => {
  const odd = [
    '"serial":12345678901234567890,"price":1.10,"twice":1,"twice":2,"__proto__":{"admin":true},"half":"\\ud83d"',
    `"deep":${'['.repeat(100_000)}${']'.repeat(100_000)},"long":"${'x'.repeat(10_000_000)}","last":"the end"`,
  ]
  const text = JSON.stringify({ ...stateAt(2), values: 0 }).replace('"values":0', `"values":{${odd}}`)
  const agent = await startStubAgent((seen) =>
    seen.path.startsWith(`/threads/${THREAD}/state`)
      ? { headers: { 'content-type': 'application/json' }, body: text }
      : respond(seen),
  )
  try {
    await addAgentServer(page, { name: `odd ${test.info().retry}`, url: agent.url })
    await page.goto(`${new URL(page.url()).pathname}/threads/${THREAD}?tab=state`)
    const tree = page.getByRole('tree', { name: 'State' })
    for (const line of ['serial: 12345678901234567890', 'price: 1.10', 'twice: 1', 'twice: 2', '__proto__: {1}'])
      await expect(tree.getByRole('treeitem', { name: line })).toBeVisible()
    await expect(tree.getByRole('treeitem', { name: /^half: / })).toContainText('\\ud83d')
    await tree.getByRole('treeitem', { name: /^last: / }).click()
    await expect(page.getByText('the end').last()).toBeVisible()
    await page.getByLabel('Search keys and values').fill('admin')
    await expect(page.getByText('1 of 1', { exact: true })).toBeVisible()
    await expect(page.getByText('__proto__.admin')).toBeVisible()
  } finally {
    await agent.stop()
  }
})

/** The text is shown as a notice, not as an error. */
async function saysQuietly(page: Page, words: string) {
  await expect(page.getByText(words)).toBeVisible()
  await expect(page.locator('main [role=alert]:not(:empty)')).toHaveCount(0)
}
