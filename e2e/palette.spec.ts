import { agentOf } from './support/platform'
import { expect, signIn, signInAsViewer, test } from './support/session'

test('the palette knows verbs, finds names by their beginning, and G goes to a section', async ({ page }) => {
  const { id } = await agentOf('concierge')
  await signIn(page, '/local/deployments')
  await expect(page.getByText('Live', { exact: true })).toBeVisible() // the page takes keys
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Go to' })
  await palette.getByRole('combobox').fill('start run on conc')
  await expect(palette.getByRole('option', { name: 'Start a run on concierge', selected: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/local/deployments/${id}/runs/new`))
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').fill('logs of concierge')
  await palette.getByRole('option', { name: 'Logs of concierge' }).click()
  await page.waitForURL(new RegExp(`/local/deployments/${id}/logs`))
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').fill('cierge')
  await expect(palette.getByRole('option', { name: 'concierge', exact: true })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(palette).toHaveCount(0)
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.waitForURL(/\/local\/threads$/)
})

test('the palette offers a viewer nothing that a viewer may not do', async ({ page }) => {
  await signInAsViewer(page, '/local/deployments')
  await expect(page.getByText('Live', { exact: true })).toBeVisible() // the page takes keys
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Go to' })
  await palette.getByRole('combobox').fill('secrets of concierge')
  await expect(palette.getByRole('option', { name: 'Secrets of concierge' })).toBeVisible()
  for (const verb of ['start run on concierge', 'redeploy concierge', 'new deployment', 'cancel run']) {
    await palette.getByRole('combobox').fill(verb)
    await expect(palette.getByRole('option').filter({ hasNotText: 'Search threads for' })).toHaveCount(0)
  }
})
