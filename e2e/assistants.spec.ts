import { agentOf } from './support/platform'
import { expect, expectAccessible, signIn, test } from './support/session'

test('an assistant is created, edited, compared, rolled back, restored and deleted', async ({ page }, { retry }) => {
  const name = `Night desk ${retry}` // a retry finds the assistant of the first attempt
  const { id, ask } = await agentOf('concierge')
  await signIn(page, `/local/deployments/${id}/assistants`)
  const table = page.getByRole('table', { name: 'Assistants' })
  await expect(table.getByRole('row', { name: /chat.*default/ }).first()).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('link', { name: 'New assistant' }).click()
  await page.getByLabel('Graph', { exact: true }).selectOption('approval')
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Graph', { exact: true }).selectOption('chat')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(name) // another graph keeps what is typed
  await page.getByLabel('persona', { exact: true }).fill('a night porter')
  await page.getByLabel('delay_ms', { exact: true }).fill('7.5')
  await expect(page.getByText('Enter a whole number.')).toBeVisible()
  await page.getByLabel('delay_ms', { exact: true }).fill('3000')
  await expectAccessible(page)
  // The server's validation error is shown at its field.
  await page.getByRole('button', { name: 'Create assistant' }).click()
  await expect(page.getByLabel('delay_ms', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('delay_ms', { exact: true }).fill('1')
  await page.getByRole('button', { name: 'Create assistant' }).dblclick()
  await expect(page.getByRole('heading', { name })).toBeVisible()
  const found = (await ask('POST', '/assistants/search', { name })) as { assistant_id: string }[]
  expect(found).toHaveLength(1)
  const assistant = found[0]?.assistant_id ?? ''

  // The form changes one of thirty fields.
  const context = Object.fromEntries(Array.from({ length: 28 }, (_, index) => [`extra_${index}`, { of: index }]))
  await ask('PATCH', `/assistants/${assistant}`, { context: { persona: 'a night porter', delay_ms: 1, ...context } })
  await page.reload()
  await page.getByRole('link', { name: 'Edit' }).click()
  await expect(page.getByLabel('persona', { exact: true })).toHaveValue('a night porter')
  await page.getByLabel('persona', { exact: true }).fill('a day porter')
  await expect(page.getByRole('region', { name: 'Save' })).toContainText('Saving creates version 3')
  await expect(page.getByText('not in the schema; they are kept')).toBeVisible()
  await page.reload() // the typed text is kept
  await expect(page.getByLabel('persona', { exact: true })).toHaveValue('a day porter')
  await page.getByRole('button', { name: 'Save as version 3' }).click()
  await expect(page.getByText('Active version3', { exact: true })).toBeVisible()
  expect((await ask('GET', `/assistants/${assistant}`)).context).toEqual({
    persona: 'a day porter',
    delay_ms: 1,
    ...context,
  })

  await page.getByRole('tab', { name: 'Versions' }).click()
  const versions = page.getByRole('table', { name: 'Versions' })
  await expect(versions.getByRole('row', { name: /^3/ })).toContainText('admin@example.com')
  await expect(versions.getByRole('row', { name: /^2/ })).toContainText('unknown')
  await expect(versions.getByRole('row', { name: /^3/ })).toContainText('context.persona')
  await expectAccessible(page)
  await versions.getByRole('button', { name: 'Activate version 1' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('New runs use it')
  await dialog.getByRole('button', { name: 'Activate version 1' }).click()
  await expect(dialog.getByRole('status')).toContainText('use version 1')
  expect((await ask('GET', `/assistants/${assistant}`)).version).toBe(1)
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await expect(dialog).toHaveCount(0)
  expect((await ask('GET', `/assistants/${assistant}`)).version).toBe(3)

  // A later run uses the active version and shows it.
  await page.goto(`/local/deployments/${id}/runs/new?assistant=${assistant}`)
  await page.getByLabel('Message', { exact: true }).last().fill('Who are you?')
  await page.getByRole('button', { name: 'Start run' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  await page.getByText('Details', { exact: true }).click()
  await expect(page.getByText('Assistant version3', { exact: true })).toBeVisible()
  await expect(page.getByText('I am a day porter')).toBeVisible({ timeout: 20_000 })
  await page.goto(`/local/deployments/${id}/assistants/${assistant}?tab=versions`)

  await versions.getByRole('link', { name: 'Compare version 1 with the active version' }).click()
  const list = page.getByRole('listbox', { name: 'Differences' })
  await expect(list.getByRole('option', { name: /changed context\.persona/ })).toContainText('a day porter')
  await expectAccessible(page)
  await page.getByLabel('From').selectOption('2')
  await expect(list.getByRole('option')).toHaveCount(1)

  await page.getByRole('link', { name: 'All versions' }).click()
  await page.getByRole('tab', { name: 'Schemas' }).click()
  await expect(page.getByRole('region', { name: 'Fields' })).toContainText('Who answers')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await expect(page.getByRole('dialog')).toContainText('All its versions are deleted')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete assistant' }).click()
  await expect(table).toBeVisible()
  await expect(table.getByRole('row', { name: new RegExp(name) })).toHaveCount(0)
})

test('the second of two concurrent editors sees the other version and chooses', async ({ page }) => {
  const { id, ask } = await agentOf('concierge')
  const { assistant_id } = await ask('POST', '/assistants', {
    graph_id: 'chat',
    name: 'Shared desk',
    context: { persona: 'a porter', delay_ms: 1, kept: true },
  })
  await signIn(page, `/local/deployments/${id}/assistants/${assistant_id}/edit`)
  await page.getByLabel('persona', { exact: true }).fill('mine')
  await ask('PATCH', `/assistants/${assistant_id}`, { context: { persona: 'theirs', delay_ms: 2, kept: true } })
  await page.getByRole('button', { name: /Save as version/ }).click()
  const dialog = page.getByRole('dialog')
  const rows = dialog.getByRole('list', { name: 'Conflicting changes' }).getByRole('listitem')
  await expect(rows).toHaveCount(2)
  await expect(rows.filter({ hasText: 'delay_ms' })).toContainText('Theirs is kept')
  await dialog.getByLabel('Resolve context.persona').selectOption('mine')
  await dialog.getByRole('button', { name: 'Merge into draft' }).click()
  await page.getByRole('button', { name: /Save as version/ }).click()
  await expect(page.getByRole('heading', { name: 'Shared desk' })).toBeVisible()
  await expect
    .poll(async () => (await ask('GET', `/assistants/${assistant_id}`)).context)
    .toEqual({ persona: 'mine', delay_ms: 2, kept: true })
})
