import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, expectAccessible, signIn, test } from './support/session'

test('an administrator limits the audit trail of a workspace, exports it and sees when entries leave', async ({
  page,
}) => {
  await signIn(page, '/local/settings/retention')
  const own = page.getByRole('region', { name: 'Audit trail', exact: true })
  const all = page.getByRole('region', { name: 'Audit trail of the console' })
  await own.getByLabel('Days').fill('29')
  await own.getByRole('button', { name: 'Save' }).click()
  await expect(own.getByText('Enter a whole number of days from 30')).toBeVisible()
  await own.getByLabel('Days').fill('90')
  await own.getByLabel('Size in MB').fill('5')
  await own.getByRole('button', { name: 'Save' }).click()
  await expect(own.getByText('90 days, 5.0 MB at most, if exported')).toBeVisible()

  const downloads = page.waitForEvent('download')
  await all.getByRole('link', { name: 'Download new entries' }).click()
  const file = readFileSync(await (await downloads).path())
  await all.getByLabel('SHA-256').fill(createHash('sha256').update(file).digest('hex'))
  await all.getByRole('button', { name: 'Confirm export' }).click()
  await expect(own.getByText('Within an hour of')).toBeVisible()
  await expect(all.getByText('None: all entries are kept')).toBeVisible()
  await expectAccessible(page)
  await page.goto('/local/audit')
  await expect(page.getByText('changed how much of the audit trail of the workspace is kept').first()).toBeVisible()
})
