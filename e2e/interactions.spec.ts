import { countInteractions } from './support/interactions'
import { startOwnAgent } from './support/own-agent'
import { agentOf } from './support/platform'
import { expect, giveCredentials, signIn, test } from './support/session'
import { addAgentServer } from './support/workspace'

// Others: what is broken in list.spec.ts, the second message and an edited one in chat.spec.ts, two versions in experiments.spec.ts.

test('an agent says hello after the first sign-in in two interactions', async ({ page }) => {
  const agent = await startOwnAgent('platform/samples/graph.json')
  try {
    const workspace = await addAgentServer(page, { name: 'greeters', url: agent.url })
    await page.context().clearCookies()
    await page.goto(`/${workspace}`)
    await giveCredentials(page)
    await expect(page.getByPlaceholder('Message greeters…')).toBeFocused()
    const interactions = await countInteractions(page)
    await page.keyboard.type('Hello')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('article', { name: 'AI message' }).last()).toContainText('Hello, I am')
    expect(interactions()).toBe(2)
  } finally {
    await agent.stop()
  }
})

test('a request in the Inbox is approved in two interactions', async ({ page }) => {
  const agent = await startOwnAgent('lib/server/inbox/fixtures/graph.json')
  try {
    const { thread_id: thread } = await agent.ask('POST', '/threads', {})
    await agent.ask('POST', `/threads/${thread}/runs/wait`, { assistant_id: 'mail', input: { to: 'Ada' } })
    const workspace = await addAgentServer(page, { name: 'mails', url: agent.url })
    await page.goto(`/${workspace}/inbox`)
    const interactions = await countInteractions(page)
    await page.getByRole('table', { name: 'Waiting threads' }).locator('tr[data-key]').getByRole('link').click()
    await expect(page.getByRole('button', { name: 'Approve' })).toBeVisible()
    await page.keyboard.press('a')
    await expect(page.getByText('Answered.')).toBeVisible()
    await expect
      .poll(async () => (await agent.ask('GET', `/threads/${thread}`)).values?.sent ?? '')
      .toContain('approve')
    expect(interactions()).toBe(2)

    // The conversation asks too, although the console did not start the run.
    const { thread_id: second } = await agent.ask('POST', '/threads', {})
    await agent.ask('POST', `/threads/${second}/runs/wait`, { assistant_id: 'mail', input: { to: 'Bob' } })
    await page.goto(`/${workspace}/inbox`)
    await page.getByRole('table', { name: 'Waiting threads' }).locator('tr[data-key]').getByRole('link').click()
    await page.getByRole('link', { name: 'Open thread' }).click()
    const asked = page.getByRole('region', { name: 'Needs input' })
    const approve = asked.getByRole('button', { name: 'Approve' })
    const card = await asked.getByRole('region', { name: 'Question' }).boundingBox()
    const gap = ((await approve.boundingBox())?.y ?? 0) - ((card?.y ?? 0) + (card?.height ?? 0))
    expect(gap).toBeGreaterThanOrEqual(8)
    await approve.click()
    await expect(asked).toHaveCount(0, { timeout: 20_000 })
    await expect
      .poll(async () => (await agent.ask('GET', `/threads/${second}`)).values?.sent ?? '')
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
  const interactions = await countInteractions(page)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click()
  const failed = page.getByRole('region', { name: 'Failed runs, last 24 hours' })
  await failed
    .getByRole('listitem')
    .first()
    .getByRole('link', { name: /declined by the bank/ })
    .click()
  await expect(page.getByRole('region', { name: 'Failure' })).toBeVisible()
  expect(interactions()).toBe(2)
  // Seen once in the card, whose stack, folded, begins with it too. Its step names it as well.
  const said = page
    .getByRole('region', { name: 'Failure' })
    .getByText('The payment of order B-7 was declined by the bank.')
  await expect(said.filter({ visible: true })).toHaveCount(1)
  await expect(page.getByRole('treeitem', { name: /declined by the bank/ })).toBeVisible()

  await page.goto('/local')
  // What is above the link has come, so it does not move between press and release.
  await expect(page.getByRole('group', { name: 'Health' })).toBeVisible()
  await expect(failed.getByRole('listitem').first()).toBeVisible()
  const before = interactions()
  await page.getByRole('link', { name: 'All failed runs' }).click()
  await expect(page.getByRole('table', { name: 'Runs' }).locator('tr[data-key]').first()).toContainText('Failed')
  expect(interactions() - before).toBe(1)
})
