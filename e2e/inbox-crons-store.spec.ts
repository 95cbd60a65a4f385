import type { Page } from '@playwright/test'
import { expectAccessible } from './support/accessible'
import { agentOf } from './support/platform'
import { expect, signIn, test } from './support/session'
import { send, startStubAgent } from './support/stub-agent'
import { addAgentServer } from './support/workspace'

test('what waits is counted as it comes, and answered without a mouse', async ({ page }) => {
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
  await expect(inbox).toHaveAccessibleName(new RegExp(`, ${before + 3} waiting`), { timeout: 15_000 })
  await inbox.click()
  const table = page.getByRole('table', { name: 'Waiting threads' })
  const rows = table.locator('tr[data-key]')
  await expect(rows).toHaveCount(before + 3)
  // Oldest first: those of this journey are the last.
  await expect(rows.nth(before)).toHaveAttribute('data-key', new RegExp(`${made[0]}$`))
  await expectAccessible(page)

  for (let at = 0; at <= before; at++) await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const panel = page.getByRole('region', { name: 'concierge' })
  await expect(panel.getByText('Send this to the board?')).toBeVisible()
  await expect(panel.getByRole('heading', { name: 'concierge' })).toBeFocused()
  const approve = panel.getByRole('radio', { name: 'approve' })
  const hasFocus = () => approve.evaluate((one) => one === document.activeElement)
  for (let tabs = 0; tabs < 12 && !(await hasFocus()); tabs++) await page.keyboard.press('Tab')
  await expect(approve).toBeFocused()
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await expect(panel.getByRole('button', { name: 'Send answer' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(panel.getByText('Answered.')).toBeVisible()
  await expect(rows).toHaveCount(before + 2)
  // The keyboard is at the next thread.
  await expect(rows.nth(before).locator('a[data-row]')).toBeFocused()
  await expect(inbox).toHaveAccessibleName(new RegExp(`, ${before + 2} waiting`), { timeout: 15_000 })

  // The other two are asked alike: one answer for both, looked at before it is sent.
  await rows.nth(before).getByRole('checkbox').check()
  await rows
    .nth(before + 1)
    .getByRole('checkbox')
    .check()
  await page.getByRole('button', { name: 'Answer together…' }).click()
  const joint = page.getByRole('dialog', { name: 'Answer 2 threads together' })
  await joint.getByRole('radio', { name: 'approve' }).check()
  await joint.getByRole('button', { name: 'Review 2 threads' }).click()
  const last = page.getByRole('dialog', { name: 'Answer 2 threads?' })
  await expect(last.getByRole('list', { name: 'Which' })).toContainText('Send this to the board? → "approve"')
  await expectAccessible(page)
  await last.getByRole('button', { name: 'Answer 2 threads' }).dblclick()
  const told = page.getByRole('dialog', { name: '2 of 2 answered' })
  await expect(told.getByRole('listitem').getByText('Answered')).toHaveCount(2)
  await told.getByRole('button', { name: 'Close' }).first().click()
  await expect(rows).toHaveCount(before)
  for (const thread of made.slice(1)) expect(await ask('GET', `/threads/${thread}/runs`)).toHaveLength(2)

  await panel.getByRole('link', { name: 'Watch the run' }).click()
  await expect(page.getByText(/Sent to the board/)).toBeVisible()
})

test('several questions of a thread are answered together', async ({ page }) => {
  const questions = ['first', 'second', 'third'].map((id) => ({
    id,
    value: { question: `The ${id}?`, options: ['a', 'b'] },
  }))
  const sent: unknown[] = []
  let isOver = false
  const thread = () => ({
    thread_id: '6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f00aa',
    status: isOver ? 'idle' : 'interrupted',
    updated_at: '2026-01-01T00:00:00Z',
    metadata: { graph_id: 'chat' },
    interrupts: isOver ? {} : { task: questions },
  })
  const agent = await startStubAgent(({ method, path: at, body }) => {
    if (at === '/threads/search')
      return { body: isOver && (JSON.parse(body) as { status?: string }).status === 'interrupted' ? [] : [thread()] }
    if (at.includes('/state'))
      return {
        body: {
          values: {},
          next: isOver ? [] : ['ask'],
          tasks: isOver ? [] : [{ id: 'task', name: 'ask', interrupts: questions }],
        },
      }
    if (method === 'GET' && at.includes('/runs?')) return { body: [] }
    if (method === 'GET' && at.endsWith(thread().thread_id)) return { body: thread() }
    if (!at.endsWith('/runs/stream')) return undefined
    sent.push(JSON.parse(body))
    isOver = true
    return (response) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'content-location': `/threads/${thread().thread_id}/runs/6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f00bb`,
      })
      send(response, ['values', { done: true }])
      response.end()
    }
  })
  try {
    await signIn(page)
    const workspace = await addAgentServer(page, { name: 'asking', url: agent.url })
    await page.goto(`/${workspace}/inbox`)
    await page.getByRole('table', { name: 'Waiting threads' }).getByText('3 questions').click()
    await expect(page.getByRole('region', { name: /^Question/ })).toHaveCount(3)
    const [first, , third] = await page.getByRole('region', { name: /^Question/ }).all()
    await first?.getByRole('radio', { name: 'a', exact: true }).check()
    await third?.getByRole('radio', { name: 'b', exact: true }).check()
    await page.getByRole('button', { name: 'Send 2 answers' }).click()
    await expect(page.getByText('Answered; the rest stays open.')).toBeVisible()
    expect(sent).toMatchObject([{ command: { resume: { first: 'a', third: 'b' } }, multitask_strategy: 'reject' }])
  } finally {
    await agent.stop()
  }
})

test('a cron shows its next firings, and is made, disabled, run and deleted', async ({ page }) => {
  const { id, ask } = await agentOf('concierge')
  await signIn(page)
  await page.goto(`/local/deployments/${id}/crons`)
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
  await page.getByRole('button', { name: 'Make the cron' }).click()
  await page.waitForURL(/\/crons\/[0-9a-f-]{36}$/)
  const [, cron] = /crons\/(.+)$/.exec(page.url()) ?? []
  expect(await ask('GET', `/runs/crons/${cron}`)).toMatchObject({ schedule: '30 9 1 1 *', timezone: 'Asia/Tokyo' })
  await page.getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByText('Disabled: it fires nothing')).toBeVisible()
  expect(await ask('GET', `/runs/crons/${cron}`)).toMatchObject({ enabled: false, next_run_date: null })
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  await page.goto(`/local/deployments/${id}/crons/${cron}`)
  await expect(page.getByRole('table', { name: 'Runs' }).locator('tr[data-key]')).toHaveCount(1)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete it' }).click()
  await page.waitForURL(/\/crons$/)
  const left: { cron_id: string }[] = await ask('POST', '/runs/crons/search', {})
  expect(left.map((one) => one.cron_id)).not.toContain(cron)
})

test('an item of the store is made, edited, found and deleted', async ({ page }) => {
  const { id } = await agentOf('workbench')
  const root = `journey${test.info().retry}`
  await signIn(page)
  await page.goto(`/local/deployments/${id}/store`)
  await page.getByRole('button', { name: 'New item' }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByLabel('Namespace').fill(`${root}.ann`)
  await sheet.getByLabel('Key').fill('likes')
  await write(page, '{"drink": "tea", "cups": 3}')
  await sheet.getByRole('button', { name: 'Make the item' }).click()
  await expect(sheet.getByRole('tree', { name: 'Value' })).toContainText('"tea"')
  await sheet.getByRole('button', { name: 'Edit' }).click()
  await write(page, '{"drink": "coffee", "cups": 3}')
  await sheet.getByRole('button', { name: 'Save' }).click()
  await expect(sheet.getByRole('tree', { name: 'Value' })).toContainText('"coffee"')
  await sheet.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('navigation', { name: 'Namespaces' }).getByRole('button', { name: root, exact: true }).click()
  const items = page.getByRole('table', { name: 'Items' }).locator('tr[data-key]')
  await page.getByLabel('Filter values by key:value').fill('drink:tea')
  await expect(page.getByText('No item matches')).toBeVisible()
  await page.getByLabel('Filter values by key:value').fill('drink:coffee')
  await expect(items).toHaveCount(1)
  await expectAccessible(page)
  await items.first().click()
  await sheet.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete this item?' }).getByRole('button', { name: 'Delete it' }).click()
  await expect(page.getByText('No item matches')).toBeVisible()
  await page.goto(`/local/deployments/${id}/system`)
  await expect(page.getByText('Well', { exact: true })).toBeVisible()
  await expect(page.getByRole('img', { name: /^agent_/ }).first()).toBeVisible()
  await expectAccessible(page)
})

/** Replaces what is in the editor, as somebody does who selects all of it. */
async function write(page: Page, text: string) {
  const editor = page.getByRole('dialog').locator('.cm-content')
  await editor.fill(text)
}
