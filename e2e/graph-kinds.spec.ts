import { rmSync, writeFileSync } from 'node:fs'
import { Client } from '@langchain/langgraph-sdk'
import type { Page } from '@playwright/test'
import { startOwnAgent } from './support/own-agent'
import { expect, signIn, test } from './support/session'
import { addAgentServer } from './support/workspace'

// Others: parallel questions in inbox-crons-store.spec.ts, a form instead of a message in chat.spec.ts.

let agent: Awaited<ReturnType<typeof startOwnAgent>>
let client: Client
let workspace: string | undefined
let deployment: string
test.beforeAll(async () => {
  agent = await startOwnAgent('lib/server/inbox/fixtures/kinds.json')
  client = new Client({ apiUrl: agent.url })
})
test.afterAll(() => agent.stop())

/** Opens a page of the agent server's deployment. */
async function open(page: Page, part: string): Promise<void> {
  if (!workspace) {
    workspace = await addAgentServer(page, { name: 'kinds', url: agent.url })
    deployment = new URL(page.url()).pathname
  }
  await signIn(page, `${deployment}/${part}`)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
}

const said = (content: string) => ({ messages: [{ role: 'user', content }] })
const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' })

test('a reply of 10,000 chunks that the SDK asked for is shown whole on its open thread, and Runs has its run', async ({
  page,
}) => {
  const { thread_id: thread } = await client.threads.create()
  await open(page, `threads/${thread}`)
  await client.runs.create(thread, 'talker', {
    input: said('10000'),
    streamMode: ['messages-tuple', 'values'],
    streamResumable: true,
  })
  const reply = page.getByRole('article', { name: 'AI message' })
  await expect(reply).toContainText(/w1 w2 .* w10000/, { timeout: 60_000 })
  await page.goto(`/${workspace}/runs`)
  const row = page.getByRole('table', { name: 'Runs' }).getByRole('row', { name: /10000/ })
  await expect(row).toContainText('Finished')
  await expect(row).toContainText('API')
  await expect(row.getByTitle('Unknown: nothing tells when the run ended.')).toHaveCount(0)
  await row.getByRole('link').first().click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(reply).toContainText(/w1 w2 .* w10000/)
})

test('a request of createAgent that the SDK asked for is approved, edited and rejected by key on its thread', async ({
  page,
}) => {
  const asking = async () => {
    const { thread_id } = await client.threads.create()
    await client.runs.wait(thread_id, 'agent', { input: said('Mail Ada') })
    return thread_id
  }
  await open(page, `threads/${await asking()}`)
  const question = page.getByRole('region', { name: 'Needs input' })
  await expect(question.getByRole('button', { name: 'Approve' })).toBeVisible()
  await page.keyboard.press('a')
  await expect(conversation(page).getByText('Done: sent to ada@example.com')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('Finished', { exact: true })).toBeVisible()

  await open(page, `threads/${await asking()}`)
  await expect(question.getByRole('button', { name: 'Edit' })).toBeVisible()
  await page.keyboard.press('e')
  await expect(question.getByRole('textbox', { name: 'Arguments of send_mail' })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('{"to": "bob@example.com", "text": "Hello"}')
  await question.getByRole('button', { name: 'Send answer' }).click()
  await expect(conversation(page).getByText('Done: sent to bob@example.com')).toBeVisible({ timeout: 30_000 })

  await open(page, `threads/${await asking()}`)
  await expect(question.getByRole('button', { name: 'Reject' })).toBeVisible()
  await page.keyboard.press('r')
  await expect(question.getByRole('textbox', { name: 'Reason (optional)' })).toBeFocused()
  await page.keyboard.type('Not today')
  await question.getByRole('button', { name: 'Send answer' }).click()
  await expect(conversation(page).getByText('Done: Not today')).toBeVisible({ timeout: 30_000 })
})

test('a graph without messages that the SDK started tells what it does, and its result', async ({ page }) => {
  const hold = test.info().outputPath('hold')
  writeFileSync(hold, '')
  const { thread_id: thread } = await client.threads.create()
  await client.runs.create(thread, 'counter', {
    input: { hold },
    streamMode: ['custom', 'tasks', 'values'],
    streamResumable: true,
  })
  await open(page, 'runs')
  await page
    .getByRole('table', { name: 'Runs' })
    .locator('tr[data-key]')
    .filter({ hasText: 'counter' })
    .getByRole('link')
    .first()
    .click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  await expect(page.getByTitle('running: count · tick 9').filter({ visible: true })).toHaveText(
    'running: count · tick 9',
  )
  rmSync(hold)
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
})
