import type { Locator, Page } from '@playwright/test'
import { startOwnAgent } from './support/own-agent'
import { agentOf } from './support/platform'
import { expect, expectAccessible, signIn, test } from './support/session'
import { addAgentServer } from './support/workspace'

test('waiting threads are counted live and answered by keyboard', async ({ page }) => {
  const { ask } = await agentOf('concierge')
  const asking = async (): Promise<string> => {
    const { thread_id } = await ask('POST', '/threads', {})
    await ask('POST', `/threads/${thread_id}/runs/wait`, {
      assistant_id: 'approval',
      input: { messages: [{ role: 'user', content: 'the inbox' }] },
      context: { delay_ms: 0, recipient: 'the board' },
    })
    return thread_id
  }
  await signIn(page)
  const before = (await ask('POST', '/threads/search', { status: 'interrupted', limit: 100 })).length
  const inbox = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Inbox/ })
  const made = [await asking(), await asking(), await asking()]
  await expect(inbox).toHaveAccessibleName(new RegExp(`, ${before + 3} need input`), { timeout: 15_000 })
  await inbox.click()
  const table = page.getByRole('table', { name: 'Waiting threads' })
  const rows = table.locator('tr[data-key]')
  await expect(rows).toHaveCount(before + 3)
  // Oldest first, so those of this test are the last.
  await expect(rows.nth(before)).toHaveAttribute('data-key', new RegExp(`${made[0]}$`))
  await expectAccessible(page)

  for (let at = 0; at <= before; at++) await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const panel = page.getByRole('region', { name: 'concierge' })
  await expect(panel.getByText('Send this to the board?')).toBeVisible()
  await expect(panel.getByRole('heading', { name: 'concierge' })).toBeFocused()
  await page.keyboard.press('1') // the first choice: approve
  await expect(panel.getByText('Answered.')).toBeVisible()
  await expect(rows).toHaveCount(before + 2)
  // The focus is on the next thread.
  await expect(rows.nth(before).locator('a[data-row]')).toBeFocused()
  await expect(inbox).toHaveAccessibleName(new RegExp(`, ${before + 2} need input`), { timeout: 15_000 })

  // The other two have the same question: selected by key, one answer for both, reviewed before it is sent.
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await expect(page.getByRole('region', { name: 'Selected threads' })).toContainText('2 selected')
  await press(page.getByRole('button', { name: 'Answer together…' }))
  const joint = page.getByRole('dialog', { name: 'Answer 2 threads together' })
  await press(joint.getByRole('radio', { name: 'approve' }), 'Space')
  await press(joint.getByRole('button', { name: 'Review 2 threads' }))
  const last = page.getByRole('dialog', { name: 'Answer 2 threads?' })
  await expect(last.getByRole('list', { name: 'Which' })).toContainText('Send this to the board? → "approve"')
  await expectAccessible(page)
  await press(last.getByRole('button', { name: 'Answer 2 threads' }))
  await page.keyboard.press('Enter') // again: no thread gets a second answer
  const told = page.getByRole('dialog', { name: '2 of 2 answered' })
  await expect(told.getByRole('listitem').getByText('Answered')).toHaveCount(2)
  await page.keyboard.press('Escape')
  await expect(rows).toHaveCount(before)
  for (const thread of made.slice(1)) expect(await ask('GET', `/threads/${thread}/runs`)).toHaveLength(2)

  await panel.getByRole('link', { name: 'Watch the run' }).click()
  await expect(page.getByText(/Sent to the board/)).toBeVisible()
})

test('twelve questions of a fan-out with subgraphs are listed once each, and answered alone and together', async ({
  page,
}) => {
  const agent = await startOwnAgent('lib/server/inbox/fixtures/graph.json')
  try {
    const { thread_id: thread } = await agent.ask('POST', '/threads', {})
    await agent.ask('POST', `/threads/${thread}/runs/wait`, { assistant_id: 'parallel', input: { parts: 12 } })
    const status = async () => (await agent.ask('GET', `/threads/${thread}`)).status
    const workspace = await addAgentServer(page, { name: 'asking', url: agent.url })
    await page.goto(`/${workspace}/inbox`)
    const row = page.getByRole('table', { name: 'Waiting threads' }).locator('tr[data-key]')
    await expect(row).toHaveCount(1)
    await row.getByText('12 questions').click()
    const questions = page.getByRole('region', { name: /^Question/ })
    await expect(questions).toHaveCount(12)
    await expectAccessible(page)
    const nested = questions.filter({ hasText: 'deep › inner' })
    await expect(nested).toHaveCount(4)
    const words = await questions.allTextContents()
    const parts = words
      .map((text) => /Part (\d+)\?|"(?:part|serial)": (\d+)/.exec(text))
      .map((found) => found?.[1] ?? found?.[2])
    expect(new Set(parts).size).toBe(12)

    const write = async (question: Locator, text: string) => {
      await question.getByRole('radio', { name: 'Text' }).check()
      await question.getByRole('textbox', { name: 'Answer' }).fill(text)
    }
    await write(nested.first(), 'alone')
    await nested.first().getByRole('button', { name: 'Send this answer' }).click()
    await expect(page.getByText('Answered. Other questions are still open.')).toBeVisible()
    await expect.poll(status).toBe('interrupted')
    await page.getByRole('button', { name: 'Show open questions' }).click()
    await expect(questions).toHaveCount(11)
    await expect(nested).toHaveCount(3)
    await write(questions.first(), 'together')
    await questions.first().getByRole('button', { name: 'Use this answer for all' }).click()
    await page.getByRole('button', { name: 'Send 11 answers' }).click()
    await expect(page.getByText('Answered.')).toBeVisible()
    await expect.poll(status).toBe('idle')
    await expect(page.getByText('No waiting threads', { exact: true })).toBeVisible()
    expect((await agent.ask('GET', `/threads/${thread}`)).values.note).toBe('all answered')
    expect(await agent.ask('GET', `/threads/${thread}/runs`)).toHaveLength(3)
  } finally {
    await agent.stop()
  }
})

test('on a small screen a request is a sheet over the list, and closing it leads back to its row', async ({ page }) => {
  const agent = await startOwnAgent('lib/server/inbox/fixtures/graph.json')
  try {
    const asking = async (body: unknown): Promise<string> => {
      const { thread_id } = await agent.ask('POST', '/threads', {})
      await agent.ask('POST', `/threads/${thread_id}/runs/wait`, body)
      return thread_id
    }
    const threads = [
      await asking({ assistant_id: 'mail', input: { to: 'Ada' } }),
      await asking({ assistant_id: 'mail', input: { to: 'Bob' } }),
      await asking({ assistant_id: 'parallel', input: { parts: 6 } }),
    ]
    const workspace = await addAgentServer(page, { name: 'mails', url: agent.url })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`/${workspace}/inbox`)
    const rows = page.getByRole('table', { name: 'Waiting threads' }).locator('tr[data-key]')
    const linkOf = (at: number) => rows.nth(at).locator('a[data-row]')
    const sheet = page.getByRole('region', { name: 'mails' })
    await expect(rows).toHaveCount(3)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect(sheet.getByRole('button', { name: 'Approve' })).toBeVisible()
    await expect(sheet.getByRole('heading', { name: 'mails' })).toBeFocused()
    await expect(linkOf(0)).toBeInViewport()
    await expectAccessible(page)
    const asked = page.url()

    await page.keyboard.press('Escape')
    await expect(sheet).toHaveCount(0)
    await expect(linkOf(0)).toBeFocused()
    await page.goBack()
    await expect(rows).toHaveCount(3)
    await expect(sheet).toHaveCount(0)
    await page.goto(asked)
    await expect(sheet.getByRole('button', { name: 'Approve' })).toBeVisible()
    await sheet.getByRole('link', { name: 'Close' }).click()
    await expect(sheet).toHaveCount(0)
    await expect(linkOf(0)).toBeFocused()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(threads[1] ?? 'no thread'))
    await page.goBack()
    await expect(sheet).toHaveCount(0)
    await expect(linkOf(1)).toBeFocused()

    // The keys of the list and of the answer work while the sheet is open, and no row is below it.
    await page.keyboard.press('Enter')
    await expect(sheet.getByRole('heading', { name: 'mails' })).toBeFocused()
    for (const at of [0, 1]) {
      await page.keyboard.press('j')
      await expect(linkOf(at)).toBeFocused()
      const [row, over] = [await linkOf(at).boundingBox(), await sheet.boundingBox()]
      expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThanOrEqual(over?.y ?? 0)
    }
    await expect(sheet.getByRole('button', { name: 'Approve' })).toBeVisible() // the keys are those of its buttons
    await page.keyboard.press('r')
    await expect(sheet.getByRole('textbox').first()).toBeFocused()
    await page.keyboard.press('Escape') // what is typed is not thrown away
    await expect(sheet).toBeVisible()
    await linkOf(1).focus()
    await page.keyboard.press('a')
    await expect(sheet.getByText('Answered.')).toBeVisible()
    await expect(rows).toHaveCount(2)
    await expect(linkOf(1)).toBeFocused()

    // Six questions scroll in the conversation, and neither the page nor the form of a new input does.
    await page.keyboard.press('Enter')
    const questions = page.getByRole('region', { name: /^Question/ })
    await expect(questions).toHaveCount(6)
    await sheet.getByRole('link', { name: 'Open thread' }).click()
    await page.waitForURL(/\/threads\//)
    await expect(questions).toHaveCount(6)
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBe(844)
    const scrolling = () =>
      page.getByRole('main').evaluate((main) => {
        const boxes = [...main.querySelectorAll('*')].filter((one) => one.scrollHeight > one.clientHeight + 1)
        return boxes.filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowY)).length
      })
    await expect.poll(scrolling).toBe(1)
    await page.getByRole('button', { name: 'New input' }).click()
    await expect(page.getByRole('region', { name: 'Input' })).toBeVisible()
  } finally {
    await agent.stop()
  }
})

test('a cron shows its next runs, and is created, disabled, run and deleted', async ({ page }) => {
  const { id, ask } = await agentOf('concierge')
  await signIn(page, `/local/deployments/${id}/crons`)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'New cron' }).click()
  const chat = page.getByRole('combobox', { name: 'Assistant' })
  await chat.selectOption({ label: 'chat (default)' })
  const schedule = page.getByRole('textbox', { name: 'Schedule' })
  await schedule.fill('0 9 31 2 *')
  await expect(page.getByText('It never fires.')).toBeVisible()
  await schedule.fill('30 9 1 1 *')
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo')
  const firings = page.getByRole('listitem').filter({ hasText: /Jan \d{4}.*09:30.*00:30 UTC/ })
  await expect(firings).toHaveCount(5)
  await expectAccessible(page)
  // The input is written as that of a run: a message for a graph that takes messages.
  await page.getByRole('button', { name: 'Create cron' }).click()
  await expect(page.getByText('Enter a message.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Good morning')
  await page.getByRole('button', { name: 'Create cron' }).click()
  await page.waitForURL(/\/crons\/[0-9a-f-]{36}$/)
  const [, cron] = /crons\/(.+)$/.exec(page.url()) ?? []
  const input = { messages: [{ role: 'user', content: 'Good morning' }] }
  const made = { schedule: '30 9 1 1 *', timezone: 'Asia/Tokyo', payload: { input } }
  expect(await ask('GET', `/runs/crons/${cron}`)).toMatchObject(made)
  await page.getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByText('Disabled. No runs until')).toBeVisible()
  expect(await ask('GET', `/runs/crons/${cron}`)).toMatchObject({ enabled: false, next_run_date: null })
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  await page.goto(`/local/deployments/${id}/crons/${cron}`)
  await expect(page.getByRole('table', { name: 'Runs' }).locator('tr[data-key]')).toHaveCount(1)
  await expectAccessible(page)
  await page.goto(`/local/deployments/${id}/crons`)
  const row = page.getByRole('row').filter({ hasText: 'Good morning' }).first()
  await expect(row.getByRole('link', { name: /^Finished/ })).toBeVisible({ timeout: 30_000 })
  await page.goto(`/local/deployments/${id}/crons/${cron}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete cron' }).click()
  await page.waitForURL(/\/crons$/)
  const left: { cron_id: string }[] = await ask('POST', '/runs/crons/search', {})
  expect(left.map((one) => one.cron_id)).not.toContain(cron)
})

test('a store item is created, edited, found and deleted', async ({ page }) => {
  const { id } = await agentOf('workbench')
  const root = `journey${test.info().retry}`
  await signIn(page, `/local/deployments/${id}/store`)
  await page.getByRole('button', { name: 'New item' }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByLabel('Namespace').fill(`${root}.ann`)
  await sheet.getByLabel('Key').fill('likes')
  await write(page, '{"drink": "tea", "cups": 3}')
  await sheet.getByLabel('Minutes to live').fill('0')
  await sheet.getByRole('button', { name: 'Create item' }).click()
  await expect(sheet.getByText('Enter a number above zero.')).toBeVisible()
  await sheet.getByLabel('Minutes to live').fill('60')
  await sheet.getByRole('button', { name: 'Create item' }).click()
  await expect(sheet.getByRole('tree', { name: 'Value' })).toContainText('"tea"')
  await sheet.getByRole('button', { name: 'Edit' }).click()
  await write(page, '{"drink": "coffee", "cups": 3}')
  await sheet.getByRole('button', { name: 'Save' }).click()
  await expect(sheet.getByRole('tree', { name: 'Value' })).toContainText('"coffee"')
  await sheet.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('navigation', { name: 'Namespaces' }).getByRole('button', { name: root, exact: true }).click()
  const items = page.getByRole('table', { name: 'Items' }).locator('tr[data-key]')
  await page.getByLabel('Filter values by key:value').fill('drink:tea')
  await expect(page.getByText('No matching items')).toBeVisible()
  await page.getByLabel('Filter values by key:value').fill('drink:coffee')
  await expect(items).toHaveCount(1)
  await expectAccessible(page)
  await items.first().click()
  await sheet.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete this item?' }).getByRole('button', { name: 'Delete item' }).click()
  await expect(page.getByText('No matching items')).toBeVisible()
  await page.goto(`/local/deployments/${id}/system`)
  await expect(page.getByText('Healthy, database connected', { exact: true })).toBeVisible()
  await expect(page.getByRole('img', { name: /^agent_/ }).first()).toBeVisible()
  const docs = page.getByRole('link', { name: '/docs' })
  await expect(docs).toHaveAttribute('target', '_blank') // the agent's own page, without our session
  await expect(docs).toHaveAttribute('rel', 'noopener noreferrer')
  await expectAccessible(page)
})

/** Replaces the editor's text, like a user who selects all of it. */
async function write(page: Page, text: string) {
  const editor = page.getByRole('dialog').locator('.cm-content')
  await editor.fill(text)
}

/** Activates an element by keyboard: Tab until it has the focus, then the key. */
async function press(target: Locator, key = 'Enter') {
  const hasFocus = () => target.evaluate((one) => one === document.activeElement)
  for (let tabs = 0; tabs < 60 && !(await hasFocus()); tabs++) await target.page().keyboard.press('Tab')
  await expect(target).toBeFocused()
  await target.page().keyboard.press(key)
}
