import type { Locator, Page } from '@playwright/test'
import { startFleet } from './support/fleet'
import { startOwnAgent } from './support/own-agent'
import { agentOf } from './support/platform'
import { cutsOfRing } from './support/ring'
import { expect, openDeployment, signIn, startChat, test } from './support/session'
import { addAgentServer, addControlPlane } from './support/workspace'

// Others: an answer in the Inbox in inbox-crons-store.spec.ts, a first message in interactions.spec.ts.

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator) {
  await expect(target).toBeVisible({ timeout: 30_000 })
  const hasFocus = () => target.evaluate((one) => one === document.activeElement)
  for (let tabs = 0; tabs < 40 && !(await hasFocus()); tabs++) await page.keyboard.press('Tab')
  await expect(target).toBeFocused()
}

test('from the runs to a failed one and its retry by keyboard', async ({ page }) => {
  const { id, ask } = await agentOf('workbench')
  const { thread_id: thread } = await ask('POST', '/threads', {})
  const order = `K-${thread.slice(0, 8)}`
  await ask('POST', `/threads/${thread}/runs`, { assistant_id: 'failing', input: { order } })
  await expect.poll(async () => (await ask('GET', `/threads/${thread}`)).status, { timeout: 30_000 }).toBe('error')
  await signIn(page, '/local')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).focus()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.waitForURL(/\/local\/runs$/)
  const row = page.getByRole('table', { name: 'Runs' }).getByRole('row', { name: new RegExp(order) })
  await expect(row).toBeVisible()
  const link = row.locator('a[data-row]')
  for (let rows = 0; rows < 40 && !(await link.evaluate((one) => one === document.activeElement)); rows++)
    await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  const failure = page.getByRole('region', { name: 'Failure' })
  await expect(failure).toBeVisible({ timeout: 30_000 })

  const failed = page.url()
  await tabTo(page, failure.getByRole('button', { name: 'Retry' }))
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname.includes(`/deployments/${id}/runs/`) && url.href !== failed)
  await expect(page.getByRole('region', { name: 'Failure' })).toBeVisible({ timeout: 30_000 })
})

test('what closes a part of the page by keyboard leaves the focus on what belongs to it', async ({ page }) => {
  const close = async (button: Locator) => {
    await tabTo(page, button)
    await page.keyboard.press('Enter')
  }
  await openDeployment(page, 'concierge')
  await startChat(page, 'Hello.')
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  await page.getByRole('tab', { name: /^Events/ }).click()
  const events = page.getByRole('listbox', { name: 'Events' })
  await events.focus()
  await page.keyboard.press('Home')
  await close(page.getByRole('region', { name: /^Entry/ }).getByRole('button', { name: 'Close' }))
  await expect(events).toBeFocused()

  const more = page.getByRole('button', { name: 'More actions' })
  await more.press('Enter')
  await page.getByRole('menuitem', { name: /^Share/ }).press('Enter')
  await expect(page.getByRole('dialog', { name: 'Share run' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(more).toBeFocused()
  await more.press('Enter')
  await page.getByRole('menuitem', { name: /^Replay/ }).press('Enter')
  await close(page.getByRole('region', { name: 'Replay' }).getByRole('button', { name: 'Close replay' }))
  await expect(page.getByRole('tab', { name: /^Events/, selected: true })).toBeFocused()

  await page.getByRole('link', { name: 'Open thread' }).click()
  const toggle = page.getByRole('button', { name: 'Inspector', exact: true })
  await toggle.press('Enter')
  await close(page.getByRole('button', { name: 'Close inspector' }))
  await expect(toggle).toBeFocused()

  // It was left open, but a small screen has no room beside the conversation.
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await toggle.press('Enter')
  await expect(inspector).toBeVisible()
  await page.reload()
  await expect(inspector).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
  await expect(inspector).toHaveCount(0)
})

test('a row with the focus is never behind what sticks to the top of the window', async ({ page }) => {
  const fleet = await startFleet(20)
  try {
    const workspace = await addControlPlane(page, { url: fleet.url, key: 'key' })
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 500 })
      await page.goto(`/${workspace}/deployments`)
      await expect(page.getByRole('table', { name: 'Deployments' }).locator('tr[data-key]')).toHaveCount(20)
      for (let rows = 0; rows < 20; rows++) await page.keyboard.press('j')
      for (let rows = 0; rows < 19; rows++) {
        await page.keyboard.press('k')
        if (width > 390) expect(await cutsOfRing(page)).toEqual([])
        const isFree = await page.evaluate(() => {
          const at = document.activeElement?.closest('tr')?.getBoundingClientRect()
          const top = at && document.elementFromPoint(at.left + 60, at.top + 4)
          return top?.closest('tr') === document.activeElement?.closest('tr')
        })
        expect(isFree, `${width} px, row ${18 - rows}`).toBe(true)
      }
    }
  } finally {
    await fleet.stop()
  }
})

test('requests are approved, edited and rejected by keyboard, and each answer leaves the focus on what comes next', async ({
  page,
}) => {
  const agent = await startOwnAgent('lib/server/inbox/fixtures/graph.json')
  try {
    const asking = async (to: string): Promise<string> => {
      const { thread_id } = await agent.ask('POST', '/threads', {})
      await agent.ask('POST', `/threads/${thread_id}/runs/wait`, { assistant_id: 'mail', input: { to } })
      return thread_id
    }
    const threads = [await asking('Ada'), await asking('Bob'), await asking('Cleo')]
    const workspace = await addAgentServer(page, { name: 'mails', url: agent.url })
    await page.goto(`/${workspace}/inbox`)
    const rows = page.getByRole('table', { name: 'Waiting threads' }).locator('tr[data-key]')
    const panel = page.getByRole('region', { name: 'mails' })
    const heading = panel.getByRole('heading', { name: 'mails' })
    const send = panel.getByRole('button', { name: 'Send answer' })
    const first = rows.first().locator('a[data-row]')
    await expect(rows).toHaveCount(3)

    await page.keyboard.press('j')
    await expect(first).toBeFocused()
    expect(await cutsOfRing(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.keyboard.press('a') // before its panel has loaded
    await expect(panel.getByText('Answered.')).toBeVisible()
    await expect(rows).toHaveCount(2)
    await expect(first).toBeFocused()

    await page.keyboard.press('Enter')
    await expect(panel.getByRole('button', { name: 'Edit' })).toBeVisible()
    await page.keyboard.press('e')
    await expect(panel.getByRole('textbox', { name: 'Arguments of send_mail' })).toBeFocused()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('{"to": "bob@example.com"')
    await page.keyboard.press('Delete') // the bracket that the editor closes
    await page.keyboard.type('}')
    await tabTo(page, send)
    await page.keyboard.press('Enter')
    await expect(panel.getByText('Answered.')).toBeVisible()
    await expect(rows).toHaveCount(1)
    await expect(first).toBeFocused()

    await page.keyboard.press('Enter')
    await expect(panel.getByRole('button', { name: 'Reject' })).toBeVisible()
    await page.keyboard.press('r')
    await expect(panel.getByRole('textbox', { name: 'Reason (optional)' })).toBeFocused()
    await page.keyboard.type('Not today')
    await tabTo(page, send)
    await page.keyboard.press('Enter')
    await expect(panel.getByText('Answered.')).toBeVisible()
    await expect(page.getByText('No waiting threads', { exact: true })).toBeVisible()
    await expect(heading).toBeFocused()

    const sent = async (thread: string) => {
      await expect.poll(async () => (await agent.ask('GET', `/threads/${thread}`)).status).toBe('idle')
      return JSON.parse((await agent.ask('GET', `/threads/${thread}`)).values.sent)
    }
    expect(await Promise.all(threads.map(sent))).toMatchObject([
      { decisions: [{ type: 'approve' }] },
      { decisions: [{ type: 'edit', edited_action: { name: 'send_mail', args: { to: 'bob@example.com' } } }] },
      { decisions: [{ type: 'reject', message: 'Not today' }] },
    ])
  } finally {
    await agent.stop()
  }
})

test('a conversation that opens with a question is answered with one key, recorded or not', async ({ page }) => {
  const { id, ask } = await agentOf('concierge')
  const { thread_id } = await ask('POST', '/threads', {})
  const input = { messages: [{ role: 'user', content: 'the harbour' }] }
  await ask('POST', `/threads/${thread_id}/runs/wait`, { assistant_id: 'approval', input })
  await signIn(page, `/local/deployments/${id}/chat/${thread_id}`)
  const question = page.getByRole('region', { name: 'Needs input' })
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await expect(question.getByRole('radio', { name: 'approve' })).toBeVisible()
  await expect(message).not.toBeFocused()
  await page.keyboard.press('1')
  await expect(page.getByText(/^Sent to the whole team/).first()).toBeVisible({ timeout: 30_000 })
  await expect(message).toHaveValue('')
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })

  // Its next run is recorded here.
  await expect(message).toBeFocused()
  await page.keyboard.type('the pier')
  await page.keyboard.press('Enter')
  await expect(question.getByRole('radio', { name: 'reject' })).toBeVisible({ timeout: 30_000 })
  await page.reload()
  await expect(question.getByRole('radio', { name: 'reject' })).toBeVisible({ timeout: 30_000 })
  await expect(message).not.toBeFocused()
  await page.keyboard.press('3')
  await expect(page.getByText(/^Not sent\./).first()).toBeVisible({ timeout: 30_000 })
  await expect(message).toBeFocused()
})

test('a thread is deleted from the list by keyboard, which leads to the row beside it', async ({ page }) => {
  const { id, ask } = await agentOf('concierge')
  const made: string[] = []
  for (let n = 0; n < 3; n++)
    made.push((await ask('POST', '/threads', { metadata: { batch: 'keys', title: `Keys ${n}` } })).thread_id)
  await signIn(page, `/local/deployments/${id}/threads?q=batch:keys&sort=created_at-asc`)
  const rows = page.getByRole('table', { name: 'Threads' }).locator('tr[data-key]')
  await expect(rows).toHaveCount(3)
  const linkOf = (thread: string | undefined) => page.locator(`tr[data-key="${thread}"] a[data-row]`)
  const remove = async () => {
    await page.keyboard.press('x')
    await tabTo(page, page.getByRole('region', { name: 'Selected threads' }).getByRole('button', { name: 'Delete…' }))
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Type delete to confirm')).toBeFocused()
    await page.keyboard.type('delete')
    await page.keyboard.press('Enter')
    const results = page.getByRole('dialog').getByRole('list', { name: 'Results' })
    await expect(results).toContainText('Deleted')
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Close' }).last()).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  await expect(page.getByText('Live', { exact: true })).toBeVisible() // the page takes keys
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(linkOf(made[1])).toBeFocused()
  await remove()
  await expect(rows).toHaveCount(2)
  await expect(linkOf(made[2])).toBeFocused()
  await remove()
  await expect(rows).toHaveCount(1)
  await expect(linkOf(made[0])).toBeFocused()
  await remove()
  await expect(page.getByText('No matching threads')).toBeVisible()
  await expect(page.getByRole('main')).toBeFocused()
})

test('from a run to an experiment of two versions and its results by keyboard', async ({ page }) => {
  const { id, ask } = await agentOf('concierge')
  const made = await ask('POST', '/assistants', { graph_id: 'chat', name: 'Keys only', context: { delay_ms: 0 } })
  await ask('PATCH', `/assistants/${made.assistant_id}`, { context: { delay_ms: 1 } })
  await signIn(page, `/local/deployments/${id}/runs/new?assistant=${made.assistant_id}`)
  await tabTo(page, page.getByRole('textbox', { name: 'Message', exact: true }))
  await page.keyboard.type('What is 6 * 7?')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })

  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('new experiment')
  await expect(page.getByRole('option', { name: 'New experiment', exact: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused()
  for (const key of ['Shift+Tab', 'Shift+Tab', 'End']) await page.keyboard.press(key) // past the panel of the tabs
  await expect(page.getByRole('tab', { name: 'Past runs', selected: true })).toBeFocused()
  await tabTo(page, page.getByRole('list', { name: 'Past runs' }).getByRole('checkbox').first())
  await page.keyboard.press('Space')
  // A select finds what is typed among the choices that it has by then.
  const choose = async (field: Locator, choice: string) => {
    await expect(field.getByRole('option', { name: choice }).first()).toBeAttached()
    await tabTo(page, field)
    await page.keyboard.type(choice)
    await expect(field.locator('option:checked')).toContainText(choice)
  }
  for (const column of [1, 2]) {
    await choose(page.getByLabel(`Column ${column}: deployment`), 'concierge')
    await choose(page.getByLabel(`Column ${column}: assistant`), 'Keys only')
    await choose(page.getByLabel(`Column ${column}: version`), `Version ${column}`)
  }
  await tabTo(page, page.getByRole('button', { name: 'Start 2 runs' }))
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/local\/experiments\/[0-9a-f-]{36}$/)
  const results = page.getByRole('region', { name: 'Results' })
  await expect(page.getByText('2 of 2 runs done')).toBeVisible({ timeout: 60_000 })
  await expect(results.getByRole('columnheader').nth(1)).toContainText('Keys only v1')
  await expect(results.getByRole('columnheader').nth(2)).toContainText('Keys only v2')
  await expect(page.locator('body')).not.toBeFocused()
  await tabTo(page, results.getByRole('button', { name: 'Good answer' }).first())
  await page.keyboard.press('Enter')
  await expect(results.getByText(/^Rating saved/)).toBeVisible()
})
