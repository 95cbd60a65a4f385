import { expect, openDeployment, signIn, startChat, startTalk, test } from './support/session'

test('sign in, open a deployment, start a chat run, watch tokens, reload midway, read reply and state', async ({
  page,
}) => {
  await signIn(page)
  await page.getByLabel('Search by name').fill('concierge')
  await expect(page.getByRole('row').filter({ hasNotText: 'concierge' })).toHaveCount(1) // the header row
  await page.getByRole('link', { name: 'concierge', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'concierge' })).toBeVisible()
  await expect(page.getByText('Deployed', { exact: true }).first()).toBeVisible({ timeout: 60_000 })
  await startChat(page, 'Please tell me about the harbour.')

  const reply = page.getByRole('article', { name: 'AI message' }).last()
  await expect(reply).toBeVisible({ timeout: 20_000 })
  // Tokens arrive one by one, so the text grows several times.
  const lengths = new Set<number>()
  await expect
    .poll(async () => lengths.add(((await reply.textContent()) ?? '').length).size, {
      timeout: 15_000,
      intervals: [50],
    })
    .toBeGreaterThanOrEqual(6)
  await expect(page.getByText('Running', { exact: true })).toBeVisible()

  const before = (await reply.textContent()) ?? ''
  await page.reload()
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(page).toHaveTitle(/^Finished · chat .*Please tell me about the harbour\./)
  const whole = (await page.getByRole('article', { name: 'AI message' }).last().textContent()) ?? ''
  expect(whole).toContain('thank you for listening to the very end.')
  expect(whole.length).toBeGreaterThan(before.length)

  await page.getByRole('link', { name: 'Open thread' }).click()
  await expect(page.getByText('Please tell me about the harbour.').first()).toBeVisible()
  await expect(page.getByText('thank you for listening to the very end.')).toBeVisible()
  await page.getByRole('button', { name: 'Inspector', exact: true }).click()
  await page.getByRole('tab', { name: 'State' }).click()
  await expect(page.getByRole('tree').getByText('messages').first()).toBeVisible()
})

test('cancelling stops the run on the server and keeps its output', async ({ page }) => {
  await startTalk(page, 300, 'Talk until I stop you.')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('menuitem').first()).toBeVisible()
  await expect(page.getByText(/a calm concierge/).first()).toBeVisible({ timeout: 20_000 })
  await page.getByRole('menuitem').first().click()
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible({ timeout: 15_000 })
  await expect(page.getByRole('article', { name: 'AI message' }).last()).not.toContainText('to the very end')
})

test('a second tab shows the same run live, with its raw events', async ({ page, context }) => {
  await openDeployment(page, 'concierge')
  await startChat(page, 'What is 6 * 7?')
  const other = await context.newPage()
  await other.goto(page.url())
  for (const one of [page, other]) {
    await expect(one.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
    await expect(one.getByText('The calculator says: 42.').first()).toBeVisible()
  }
  await other.getByRole('tab', { name: /^Events/ }).click()
  await expect(other.getByRole('listbox', { name: 'Events' }).getByText('metadata').first()).toBeVisible()
})
