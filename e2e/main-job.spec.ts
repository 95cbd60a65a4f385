import { expect, signIn, test } from './support/session'

test('sign in, open a deployment, start a chat run, watch tokens, reload in the middle, read reply and state', async ({
  page,
}) => {
  await signIn(page)
  await page.getByRole('link', { name: 'concierge' }).first().click()
  await expect(page.getByRole('heading', { name: 'concierge' })).toBeVisible()
  await expect(page.getByText('Deployed').first()).toBeVisible({ timeout: 60_000 })

  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByLabel('Message').fill('Please tell me about the harbour.')
  await page.getByRole('button', { name: 'Start run' }).click()

  const reply = page.getByRole('article', { name: /assistant/i }).last()
  await expect(reply).toBeVisible({ timeout: 20_000 })
  // Tokens arrive one after another: the text is seen growing at least three times.
  const lengths = new Set<number>()
  await expect
    .poll(async () => lengths.add((await reply.innerText()).length).size, { timeout: 15_000, intervals: [100] })
    .toBeGreaterThanOrEqual(4)

  const before = await reply.innerText()
  await page.reload()
  await expect(page.getByText(/^(Success|Succeeded|Done)$/i).first()).toBeVisible({ timeout: 30_000 })
  const whole = await page
    .getByRole('article', { name: /assistant/i })
    .last()
    .innerText()
  expect(whole.length).toBeGreaterThan(before.length)

  await page
    .getByRole('link', { name: /thread/i })
    .last()
    .click()
  await expect(page.getByText('Please tell me about the harbour.')).toBeVisible()
  await page
    .getByRole('tab', { name: 'State' })
    .or(page.getByRole('link', { name: 'State' }))
    .first()
    .click()
  await expect(page.getByRole('tree').getByText('messages').first()).toBeVisible()
})
