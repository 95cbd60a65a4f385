import { expect, expectAccessible, openDeployment, signIn, signInAsViewer, startChat, test } from './support/session'

test('a run is shared with members at an entry, with anyone by a public link, and as a file', async ({
  page,
  browser,
}) => {
  test.setTimeout(150_000)
  // A repeated attempt finds what the first one left.
  await signIn(page, '/local/settings/sharing')
  const turn = (way: string) => page.getByRole('button', { name: `Turn ${way} public links` })
  await expect(turn('on').or(turn('off'))).toBeVisible()
  if (await turn('off').isVisible()) await turn('off').click()
  await expect(turn('on')).toBeVisible()
  await openDeployment(page, 'concierge')
  await startChat(page, 'What is 6 * 7?')
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  const run = page.url()
  const openShare = async () => {
    await page.goto(`${run}?lens=state&at=3`)
    await expect(page.getByText('At entry 3')).toBeVisible()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Share…' }).click()
  }
  const dialog = page.getByRole('dialog', { name: 'Share run' })
  await openShare()
  const forMembers = dialog.getByRole('region', { name: 'Link for members' }).locator('.select-all')
  await expect(forMembers).toHaveText(`${run}?lens=state&at=3`)
  await dialog.getByRole('checkbox', { name: 'At entry 3' }).uncheck()
  await expect(forMembers).toHaveText(`${run}?lens=state`)
  await dialog.getByRole('link', { name: 'Turn them on in Settings' }).click()
  await turn('on').click()
  await expect(page.getByText('Public links on', { exact: true })).toBeVisible()
  await expectAccessible(page)

  await openShare()
  await dialog.getByRole('button', { name: 'Create public link' }).click()
  const link = (await dialog.getByRole('region', { name: 'Public link' }).locator('.select-all').textContent()) ?? ''
  await expectAccessible(page)

  const nobody = await browser.newContext()
  const stranger = await nobody.newPage()
  const asked: string[] = []
  stranger.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const opened = await stranger.goto(link)
  expect(opened?.headers()['x-robots-tag']).toContain('noindex')
  await expect(stranger.getByText('At entry 3')).toBeVisible()
  await expect(stranger.getByRole('heading', { level: 1, name: 'What is 6 * 7?' })).toBeVisible()
  await stranger.getByRole('tab', { name: 'Transcript' }).click()
  await expect(stranger.getByText('The calculator says: 42.').first()).toBeVisible()
  await expect(stranger).toHaveURL(/#phl_/)
  await expectAccessible(stranger)
  expect(new Set(asked.filter((path) => path.startsWith('/api/')))).toEqual(new Set(['/api/public/run']))
  expect((await nobody.request.post('/api/public/run')).status()).toBe(405)

  await dialog.getByRole('button', { name: 'Revoke' }).first().click()
  await expect(dialog.getByText('Copy it now')).toHaveCount(0)
  await stranger.reload()
  await expect(stranger.getByText('This link does not exist, has expired or was revoked.')).toBeVisible()

  const file = await page.request.get(`${run}/file`)
  await stranger.goto('/public/open')
  await stranger.getByLabel('Recording file').setInputFiles({
    name: 'run.jsonl',
    mimeType: 'application/jsonl',
    buffer: await file.body(),
  })
  await expect(stranger.getByText('The calculator says: 42.').first()).toBeVisible()
  await nobody.close()

  await signInAsViewer(page, `${new URL(run).pathname}?lens=state&at=3`)
  await expect(page.getByText('At entry 3')).toBeVisible()
})
