import { readFileSync } from 'node:fs'
import { agentOf, ask } from './support/platform'
import { expect, expectAccessible, signIn, test } from './support/session'

test.beforeEach(() => test.setTimeout(150_000)) // two samples and a slow reply; the timeout only ends a hanging test

/** The sample deployment, called directly as by another client. */
async function concierge() {
  const { id, ask } = await agentOf('concierge')
  /** A chat that lasts about a minute. */
  const start = async (batch: string) => {
    const { thread_id } = await ask('POST', '/threads', {})
    const file = { type: 'file', mime_type: 'text/plain', filename: 'greeting.txt', base64: btoa('Ahoy!') }
    const content = [{ type: 'text', text: 'Please read this.' }, file]
    await ask('POST', `/threads/${thread_id}/runs`, {
      assistant_id: 'chat',
      input: { messages: [{ role: 'user', content }] },
      context: { delay_ms: 400 },
      metadata: { batch },
      stream_mode: ['values', 'messages-tuple'],
      stream_resumable: true,
    })
  }
  return { id, start }
}

test('runs started elsewhere appear automatically, can be opened and followed, and are cancelled together', async ({
  page,
}) => {
  const { id, start } = await concierge()
  const batch = `batch-${Date.now()}`
  await signIn(page, `/local/deployments/${id}/runs?q=${batch}`)
  await expect(page.getByText('No matching runs')).toBeVisible()
  await start(batch)
  await start(batch)
  const table = page.getByRole('table', { name: 'Runs' })
  const rows = table.locator('tr[data-key]')
  await expect(rows).toHaveCount(2, { timeout: 20_000 })
  await expect(rows.filter({ hasText: 'elsewhere' })).toHaveCount(2)
  await expectAccessible(page)

  await rows.first().getByRole('link').click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  await expect(page.getByText('Running', { exact: true })).toBeVisible()
  await expect(page.getByRole('article', { name: 'AI message' })).toContainText('concierge')
  const download = page.waitForEvent('download')
  await page.getByRole('article', { name: 'Human message' }).getByRole('button', { name: 'Save' }).click()
  expect(readFileSync(await (await download).path(), 'utf8')).toBe('Ahoy!')

  await page.goBack()
  // One of them is now recorded, and is still a single row.
  await expect(rows.filter({ hasText: 'elsewhere' })).toHaveCount(1)
  await expect(rows).toHaveCount(2)
  await table.getByRole('checkbox', { name: /^Select all on this page/ }).check()
  await page.getByRole('region', { name: 'Selected runs' }).getByRole('button', { name: 'Cancel…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel 2 runs?' })
  await expect(dialog.getByRole('radio', { name: /^Interrupt/ })).toBeChecked()
  await dialog.getByRole('button', { name: 'Cancel 2 runs' }).click()
  await expect(page.getByRole('list', { name: 'Results' }).getByText('Cancelled')).toHaveCount(2)
  await page.getByRole('button', { name: 'Close' }).last().click()
  await expect(rows.filter({ hasText: /Cancelled|Interrupted/ })).toHaveCount(2, { timeout: 20_000 })
})

test('a request is saved as a template and used after a reload; its run is continued from a checkpoint', async ({
  page,
}) => {
  const { id } = await concierge()
  const name = `Sums ${Date.now()}`
  await signIn(page, `/local/deployments/${id}/runs/new`)
  const message = page.getByLabel('Message', { exact: true }).last()
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'chat (default)' })
  await message.fill('What is 6 * 7?')
  await page.getByRole('button', { name: 'Templates' }).click()
  await page.getByRole('menuitem', { name: 'Save as template…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save as template' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: `Templates: ${name}`, exact: true })).toBeVisible()
  await message.fill('Something else')
  await expect(page.getByRole('button', { name: `Templates: ${name}, edited` })).toBeVisible()
  await page.reload()
  await page.getByRole('button', { name: 'Templates' }).click()
  await page.getByRole('menuitem', { name }).click()
  await expect(message).toHaveValue('What is 6 * 7?')
  await page.getByRole('button', { name: 'Start run' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  const first = page.url()
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })

  await page.getByRole('tab', { name: 'State' }).click()
  await expect(page.getByText(/The last step changed messages/)).toBeVisible()
  await expect(page.getByRole('treeitem', { name: /^messages.*changed$/ })).toBeVisible()
  // A token has no checkpoint; the state before the step that wrote it has one, though the stream does not name it.
  await page.getByRole('tab', { name: /^Events/ }).click()
  await page
    .getByRole('option', { name: /messages \d+ chunks/ })
    .first()
    .click()
  await expect(
    page.getByText(/No checkpoint at this entry\. The nearest before it is at entry \d+, before \S+ ran\./),
  ).toBeVisible()
  await page.getByRole('button', { name: /^Fork from entry/ }).click()
  await expect(page.getByText('Forks the thread at checkpoint')).toBeVisible()
  await page.goto(`${first}?lens=state`)
  await page.getByRole('link', { name: 'Fork from here' }).click()
  await expect(page.getByText('Forks the thread at checkpoint')).toBeVisible()
  await page.getByRole('group', { name: 'Input type' }).getByRole('button', { name: 'Message' }).click()
  await message.fill('What is 6 * 8?')
  await page.getByRole('button', { name: 'Start run' }).click()
  await page.waitForURL((url) => /\/runs\/[0-9a-f-]{36}$/.test(url.pathname) && url.href !== first)
  await expect(page.getByText('The calculator says: 48.').first()).toBeVisible({ timeout: 30_000 })
})

test('runs that others started are listed across the workspace after they ended, and the failed ones by themselves', async ({
  page,
}) => {
  const { id, ask } = await agentOf('workbench')
  const batch = `night-${Date.now()}`
  const { thread_id } = await ask('POST', '/threads', {})
  const run = (assistant_id: string, input: object) =>
    ask('POST', `/threads/${thread_id}/runs/wait`, { assistant_id, input, metadata: { batch } })
  await run('failing', { order: 'B-7' })
  await run('archive', {})
  const [failed] = (await ask('GET', `/threads/${thread_id}/runs`)).filter(
    ({ status }: { status: string }) => status === 'error',
  )

  await signIn(page, `/local/runs?q=${batch}`)
  const rows = page.getByRole('table', { name: 'Runs' }).locator('tr[data-key]')
  await expect(rows).toHaveCount(2, { timeout: 30_000 })
  for (const row of await rows.all()) await expect(row).toContainText('workbench')
  await expect(rows.filter({ hasText: 'API' })).toHaveCount(2)
  await expect(rows.filter({ hasText: 'Finished' })).toHaveCount(1)
  await page.goto(`/local/runs?q=${batch}&status=failed`)
  await expect(rows).toHaveCount(1)
  await expect(rows.first()).toContainText('Failed')
  await expect(page.getByText(/Includes all runs that \d+ deployments have logged as traces/)).toBeVisible()

  // The server's log leads to the run, too.
  await page.goto(`/local/deployments/${id}/logs`)
  await page
    .getByRole('link', { name: `run ${failed.run_id.slice(0, 8)}` })
    .first()
    .click()
  await page.waitForURL(/\/(traces|runs)\/[0-9a-f-]{36}/)
  await expect(page.getByText('Failed', { exact: true }).first()).toBeVisible()
})

test('a deployment that never rolled out says why it has no runs and no traces', async ({ page }) => {
  const name = `unbuilt-${Date.now()}`
  const made = await ask('POST', '/v2/deployments', {
    name,
    source: 'internal_source',
    source_config: { deployment_type: 'dev' },
    source_revision_config: {},
    secrets: [],
  })
  await signIn(page, `/local/deployments/${made.id}/runs`)
  const why = page.getByText('This deployment has no revision yet, so it has no agent server.')
  await expect(why).toBeVisible()
  await page.getByRole('navigation', { name: 'Deployment sections' }).getByRole('link', { name: 'Traces' }).click()
  await expect(page).toHaveURL(/traces/)
  await expect(why).toBeVisible()
  await ask('DELETE', `/v2/deployments/${made.id}`)
})
