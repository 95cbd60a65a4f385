import type { Page } from '@playwright/test'
import { agentOf } from './support/platform'
import { expect, expectAccessible, signIn, test } from './support/session'
import { expectSheet } from './support/sheet'

const table = (page: Page) => page.getByRole('table', { name: 'Threads' })
/** Threads without a title differ in the beginning of their ids. */
const labelOf = (id: string | null | undefined) => `Select Untitled thread ${id?.slice(0, 8)}`
const ids = (page: Page) =>
  table(page)
    .locator('tr[data-key]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')))

test('threads are found by metadata and status, paged without their values, and deleted together', async ({ page }) => {
  const { id, ask } = await agentOf('concierge')
  const made: string[] = []
  for (let index = 0; index < 60; index++)
    made.push((await ask('POST', '/threads', { metadata: { batch: 'list', n: index, half: index % 2 } })).thread_id)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/threads/search')) asked.push(request.postData() ?? '')
  })
  await signIn(page, `/local/deployments/${id}/threads?q=batch:list&sort=created_at-asc`)
  await expect.poll(() => ids(page)).toEqual(made.slice(0, 25))
  await expect(page.getByText('1–25 of 60')).toBeVisible()
  await expectAccessible(page)
  // A row deleted before turning the page causes no gap on the next page.
  await ask('DELETE', `/threads/${made[3]}`)
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await expect.poll(() => ids(page)).toEqual(made.slice(25, 50))
  await page.reload()
  await expect.poll(() => ids(page)).toEqual(made.slice(25, 50))
  await page.getByLabel('Search by id or metadata').fill('{"batch":"list","half":1}')
  await expect.poll(async () => (await ids(page))?.length).toBe(25)
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByLabel('Filter by').selectOption({ label: 'Status' })
  await page.getByLabel('Status', { exact: true }).selectOption({ label: 'Failed' })
  await expect(page.getByText('No matching threads')).toBeVisible()
  await page.getByRole('button', { name: 'Remove filter Status' }).click()
  await expect(table(page)).toBeVisible()
  for (const body of asked) expect(JSON.parse(body).select).not.toContain('values')

  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save view…' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Odd ones')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page).toHaveURL(/view=/)

  const [first, , third] = (await ids(page)) ?? []
  await page.getByRole('checkbox', { name: labelOf(first) }).check()
  await page.getByRole('checkbox', { name: labelOf(third) }).click({ modifiers: ['Shift'] })
  const selected = page.getByRole('region', { name: 'Selected threads' })
  await expect(selected).toContainText('3 selected')
  await selected.getByRole('button', { name: 'Cancel their runs…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Cancel runs of 3 threads' }).click()
  await expect(dialog.getByText('No active runs')).toHaveCount(3)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await selected.getByRole('button', { name: 'Delete…' }).click()
  await dialog.getByLabel('Type delete to confirm').fill('3')
  await dialog.getByRole('button', { name: 'Delete 3 threads' }).click()
  await expect(dialog.getByRole('list', { name: 'Results' }).getByText('Deleted')).toHaveCount(3)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(table(page).getByRole('checkbox', { name: labelOf(first) })).toHaveCount(0)
  await ask('POST', '/threads/prune', { thread_ids: made })
})

test('a checkpoint is compared, edited as a node, forked and continued; the thread is copied and deleted', async ({
  page,
}) => {
  const { id, ask } = await agentOf('concierge')
  const thread = (await ask('POST', '/threads', { metadata: { journey: 'state' } })).thread_id as string
  const input = { messages: [{ role: 'user', content: 'the harvest festival' }] }
  await ask('POST', `/threads/${thread}/runs/wait`, { assistant_id: 'approval', input, context: { delay_ms: 0 } })
  await signIn(page, `/local/deployments/${id}/threads/${thread}?tab=history`)
  const list = page.getByRole('navigation', { name: 'Checkpoints' })
  await expect(list.getByRole('button', { name: /Step 1.*by write.*next: review.*needs input/ })).toBeVisible()
  await list.getByRole('button', { name: /Step 1/ }).click()
  await expect(page).toHaveURL(/at=/)
  await page.getByLabel('Compare with').selectOption({ index: 1 })
  const differences = page.getByRole('listbox', { name: 'Differences' })
  await expect(differences.getByRole('option', { name: /draft/ })).toBeVisible()
  await expect(differences.getByRole('option', { name: /added messages\[1\]/ })).toBeVisible()
  await expectAccessible(page)

  await page.getByLabel('Compare with').selectOption('')
  await page.getByRole('button', { name: 'Edit state from here' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: /^draft/ }).check()
  await dialog.getByRole('textbox', { name: 'draft as JSON' }).fill('"Written by hand"')
  await dialog.getByLabel('Write as node').fill('write')
  await dialog.getByRole('button', { name: 'Review' }).click()
  const review = dialog.getByRole('region', { name: 'Review' })
  await expect(review).toContainText('What is sent, before the graph’s reducers')
  await expect(review).toContainText('Written by hand')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save state' }).dblclick()
  await expect(differences.getByRole('option', { name: /changed draft/ })).toContainText('Written by hand')
  await expect(list.getByRole('button', { name: /Step 2.*update.*next: review/ })).toBeVisible()
  const state = await ask('GET', `/threads/${thread}/state`)
  expect(state).toMatchObject({
    values: { draft: 'Written by hand' },
    next: ['review'],
    metadata: { source: 'update' },
  })
  expect(await ask('POST', `/threads/${thread}/history`, { limit: 50 })).toHaveLength(4)

  // A run from the first checkpoint is a fork of it.
  const first = list.getByRole('button', { name: /Step 0/ })
  await first.click()
  await expect(first).toHaveAttribute('aria-pressed', 'true') // until then, the link leads from the one before
  await page.getByRole('link', { name: 'Run from here' }).click()
  await expect(page.getByText('Forks the thread at checkpoint')).toBeVisible()
  await page.getByRole('button', { name: 'Start run' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  await expect
    .poll(async () => (await ask('GET', `/threads/${thread}/state`)).values.draft, { timeout: 20_000 })
    .toContain('the harvest festival')

  await page.goto(`/local/deployments/${id}/threads/${thread}`)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Edit metadata…' }).click()
  const metadata = await ask('GET', `/threads/${thread}`)
  const text = dialog.getByRole('textbox', { name: 'Metadata as JSON' })
  await expect(text).toHaveAttribute('contenteditable', 'true') // the plain field before it could take only part of a fill
  // By keys: the editor sets its own selection when it gets the focus, which a fill selects before.
  await text.press('ControlOrMeta+a')
  await page.keyboard.insertText(JSON.stringify({ ...metadata.metadata, journey: 'edited' }))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toHaveCount(0)
  expect((await ask('GET', `/threads/${thread}`)).metadata.journey).toBe('edited')

  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy with history…' }).click()
  await dialog.getByRole('button', { name: 'Copy thread' }).click()
  await page.waitForURL((url) => url.pathname.includes('/threads/') && !url.pathname.endsWith(thread))
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await dialog.getByLabel('Type delete to confirm').fill('delete')
  await dialog.getByRole('button', { name: 'Delete 1 thread' }).click()
  await expect(dialog.getByRole('list', { name: 'Results' })).toContainText('Deleted')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.waitForURL(/\/threads$/)
  await ask('DELETE', `/threads/${thread}`)
})

test('on a small screen a checkpoint is a sheet over the list, and closing it leads back to its row', async ({
  page,
}) => {
  const { id, ask } = await agentOf('concierge')
  const thread = (await ask('POST', '/threads', {})).thread_id as string
  const input = { messages: [{ role: 'user', content: 'the harvest festival' }] }
  await ask('POST', `/threads/${thread}/runs/wait`, { assistant_id: 'approval', input, context: { delay_ms: 0 } })
  await signIn(page, `/local/deployments/${id}/threads/${thread}?tab=history`)
  await page.setViewportSize({ width: 390, height: 844 })
  const row = page.getByRole('navigation', { name: 'Checkpoints' }).getByRole('button', { name: /Step 1/ })
  const sheet = page.getByRole('region', { name: 'Checkpoint', exact: true })
  await expectSheet(page, row, sheet, async () => {
    await expect(sheet.getByRole('heading', { name: /^step 1/ })).toBeVisible()
    await expect(sheet.getByRole('tree')).toContainText('messages')
  })
})

test('a state of several megabytes is shown, searched, saved, edited and compared in a worker', async ({ page }) => {
  const { id, ask } = await agentOf('workbench')
  const thread = (await ask('POST', '/threads', { metadata: { journey: 'large' } })).thread_id as string
  await ask('POST', `/threads/${thread}/runs/wait`, { assistant_id: 'archive', input: { megabytes: 3 } })
  await signIn(page, `/local/deployments/${id}/threads/${thread}?tab=state`)
  const tree = page.getByRole('tree', { name: 'State' })
  await expect(tree.getByRole('treeitem', { name: /records: \[3000\]/ })).toBeVisible()
  expect(page.workers()).toHaveLength(1)
  await tree.getByRole('treeitem', { name: /records: / }).dblclick()
  await expect(tree.getByRole('treeitem', { name: /record-0000000/ })).toBeVisible()
  await page.getByLabel('Search keys and values').fill('record-0002999')
  await expect(page.getByText('1 of 1', { exact: true })).toBeVisible()
  await expect(page.getByText('records[2999].id')).toBeVisible()
  await expect(tree.getByRole('treeitem', { selected: true })).toHaveText('id: "record-0002999"')
  await tree.press('ArrowLeft')
  await expect(tree.getByRole('treeitem', { selected: true })).toContainText('2999: ')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download value' }).click()
  const file = await (await saved).createReadStream()
  expect(JSON.parse((await file.toArray()).join(''))).toMatchObject({ id: 'record-0002999', place: { shelf: 3 } })
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Edit state' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: /^records/ }).check()
  await expect(dialog.getByText('Too large to edit here')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('tab', { name: 'History' }).click()
  await page
    .getByRole('navigation', { name: 'Checkpoints' })
    .getByRole('button', { name: /Step 4/ })
    .click()
  await expect(page.getByRole('tree', { name: 'State at this checkpoint' })).toContainText('records: [3000]')
  await page.getByLabel('Compare with').selectOption({ index: 1 })
  await expect(page.getByText('751 differences')).toBeVisible()
  const differences = page.getByRole('listbox', { name: 'Differences' })
  await differences.press('End')
  await expect(differences.getByRole('option', { selected: true })).toContainText('records[2999]')
  await expect(page.getByRole('region', { name: 'Before', exact: true })).toContainText('not set')
  await expect(page.getByRole('region', { name: 'After', exact: true })).toContainText('record-0002999')
  await ask('DELETE', `/threads/${thread}`)
})

test('threads of all deployments are listed by day with titles, those that need input first, and found by their messages', async ({
  page,
}) => {
  const { id, ask } = await agentOf('concierge')
  const word = `harvest${Date.now()}`
  const made: string[] = []
  const run = async (assistant_id: string, content: string, metadata: object = {}) => {
    const { thread_id } = await ask('POST', '/threads', { metadata })
    const input = { messages: [{ role: 'user', content }] }
    await ask('POST', `/threads/${thread_id}/runs/wait`, { assistant_id, input, context: { delay_ms: 0 } })
    made.push(thread_id)
  }
  await run('approval', `Please announce the ${word}`)
  await run('chat', `When is the ${word}?`)
  await run('chat', `And the ${word} of last year?`, { title: 'Last year' })
  await signIn(page, '/local')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Threads' }).click()
  await page.waitForURL(/\/local\/threads$/)
  await page.getByLabel('Search in titles and messages').fill(word.toUpperCase())
  const rows = table(page).locator('tr[data-key]')
  await expect(rows).toHaveCount(3)
  await expect(rows.nth(0)).toContainText(`Please announce the ${word}`)
  await expect(rows.nth(0)).toContainText('Needs input')
  await expect(rows.nth(1)).toContainText('Last year')
  await expect(rows.nth(2)).toContainText(`When is the ${word}?`)
  await expect(table(page).locator('th[scope=rowgroup]')).toHaveText(['Needs input', 'Today'])
  await expect(page.getByText(/^Searched the messages of \d+ threads of/)).toBeVisible()
  for (const thread of made) await expect(table(page)).not.toContainText(thread.slice(0, 8))
  await expectAccessible(page)
  await rows.nth(2).getByRole('link').click()
  await page.waitForURL(new RegExp(`/local/deployments/${id}/threads/${made[1]}`))
  await ask('POST', '/threads/prune', { thread_ids: made })
})
