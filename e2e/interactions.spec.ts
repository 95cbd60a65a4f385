import { startOwnAgent } from './support/own-agent'
import { agentOf } from './support/platform'
import { expect, signIn, test } from './support/session'
import { addAgentServer } from './support/workspace'

// Clicks and keys are counted. Others: the second message and an edited one in chat.spec.ts, two versions in experiments.spec.ts.

test('a request in the Inbox is approved in two interactions', async ({ page }) => {
  const agent = await startOwnAgent('lib/server/inbox/fixtures/graph.json')
  try {
    const { thread_id: thread } = await agent.ask('POST', '/threads', {})
    await agent.ask('POST', `/threads/${thread}/runs/wait`, { assistant_id: 'mail', input: { to: 'Ada' } })
    const workspace = await addAgentServer(page, { name: 'mails', url: agent.url })
    await page.goto(`/${workspace}/inbox`)
    // 1: the row, 2: A.
    await page.getByRole('table', { name: 'Waiting threads' }).locator('tr[data-key]').getByRole('link').click()
    await expect(page.getByRole('button', { name: 'Approve' })).toBeVisible()
    await page.keyboard.press('a')
    await expect(page.getByText('Answered.')).toBeVisible()
    await expect
      .poll(async () => (await agent.ask('GET', `/threads/${thread}`)).values?.sent ?? '')
      .toContain('approve')
  } finally {
    await agent.stop()
  }
})

test('a failed run of the last night and its error are two interactions from any page', async ({ page }) => {
  const { ask } = await agentOf('workbench')
  const { thread_id } = await ask('POST', '/threads', {})
  await ask('POST', `/threads/${thread_id}/runs/wait`, { assistant_id: 'failing', input: { order: 'B-7' } })
  await signIn(page, '/local/threads')
  // 1: Home, 2: the run.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click()
  const failed = page.getByRole('region', { name: 'Failed runs, last 24 hours' })
  await failed.getByRole('listitem').first().getByRole('link').click()
  await expect(page.getByRole('region', { name: 'Failure' })).toBeVisible()
})
