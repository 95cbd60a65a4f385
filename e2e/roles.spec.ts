import {
  addMember,
  deploymentPath,
  expect,
  expectAccessible,
  giveCredentials,
  openDeployment,
  signIn,
  test,
} from './support/session'

test('a viewer sees deployments, cannot run, and loses access as soon as the account is disabled', async ({
  page,
  browser,
}) => {
  const viewer = await addMember(page)
  const theirs = await browser.newContext()
  const other = await theirs.newPage()
  await openDeployment(other, 'concierge', viewer)
  await expect(other.getByRole('link', { name: 'Members' })).toHaveCount(0)
  const start = other.getByRole('button', { name: 'Start a run' })
  await expect(start).toHaveAttribute('aria-disabled', 'true')
  await expect(start).toHaveAttribute('title', /developer/)
  await other.getByRole('link', { name: 'Chat', exact: true }).click()
  await expect(other.getByRole('region', { name: 'Chat' })).toContainText('Requires the developer role.')
  // The API too, not only the page, rejects what a viewer may not read.
  const audit = await other.goto('/local/audit')
  expect(audit?.ok()).toBe(true)
  await expect(other.getByRole('table', { name: 'Audit' })).toHaveCount(0)

  await page.getByRole('button', { name: `Actions for ${viewer.email}` }).click()
  await page.getByRole('menuitem', { name: 'Sessions' }).click()
  const theirSessions = page.getByRole('table', { name: 'Sessions' })
  await expect(theirSessions).toBeVisible() // the title of the page before goes with that page
  await expectAccessible(page)
  await theirSessions.getByRole('button', { name: /^End session of .*Chrome \d+ on Linux/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
  await expect(page.getByText('Not signed in')).toBeVisible()
  await other.goto('/local/account')
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await giveCredentials(other, viewer)
  await expect(other.getByRole('row').filter({ hasText: 'this browser' })).toContainText(/Chrome \d+ on Linux/)
  await expectAccessible(other)

  await page.goto('/local/members')
  await page.getByRole('button', { name: `Actions for ${viewer.email}` }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByRole('row').filter({ hasText: viewer.email })).toContainText('Disabled')
  await other.goto('/local/deployments')
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await theirs.close()
})

test('an invited person opens the link, chooses name and password, and sees the chosen deployments only', async ({
  page,
  browser,
}) => {
  await signIn(page, '/local/members')
  await page.getByRole('button', { name: 'Invite by link' }).click()
  const dialog = page.getByRole('dialog')
  const email = `invited-${Date.now()}@example.com`
  await dialog.getByLabel('Email of the person').fill(email)
  await dialog.getByLabel('Role').selectOption('Only some deployments…')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await expect(dialog.getByText('Choose at least one deployment.')).toBeVisible()
  await dialog.getByLabel('Search deployments').fill('concierge')
  await dialog.getByLabel('concierge', { exact: true }).check()
  await expect(dialog.getByLabel('Role for concierge')).toHaveValue('developer')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = ((await dialog.locator('.select-all').textContent()) ?? '').trim()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('table', { name: 'Open invitations' })).toContainText(email)

  const theirs = await browser.newContext()
  const other = await theirs.newPage()
  await other.goto(link)
  await expect(other.getByText(`${email} is invited to This machine as developer of some deployments.`)).toBeVisible()
  expect(new URL(other.url()).hash).toBe('')
  await expectAccessible(other)
  await other.getByLabel('Your name').fill('Robin')
  await other.getByLabel('Password').fill('password1234')
  await other.getByRole('button', { name: 'Create account and join' }).click()
  await expect(other.getByText(/common or easy to guess/)).toBeVisible()
  await other.getByLabel('Password').fill('violet tractor lantern')
  await other.getByRole('button', { name: 'Create account and join' }).click()
  const menu = other.getByRole('navigation', { name: 'Main' })
  await expect(menu).toBeVisible()
  await other.goto('/local')
  await expect(
    other.getByText('You have a role for 1 deployment of this workspace, and see only that one.'),
  ).toBeVisible()
  await expect(menu.getByRole('link', { name: 'Alerts' })).toHaveCount(0)
  await expectAccessible(other)
  await menu.getByRole('link', { name: 'Deployments' }).click()
  const list = other.getByRole('table', { name: 'Deployments' })
  await expect(list.getByRole('link', { name: 'concierge', exact: true })).toBeVisible()
  await expect(list.getByRole('row')).toHaveCount(2) // with the head
  await list.getByRole('link', { name: 'concierge', exact: true }).click()
  await expect(other.getByRole('link', { name: 'Start a run' })).toBeVisible()
  await other.goto('/local/members')
  await expect(other.getByText('Your roles are for some of its deployments.')).toBeVisible()
  await other.goto(await deploymentPath('workbench'))
  await expect(other.getByText('Not found', { exact: true })).toBeVisible()
  await theirs.clearCookies()
  await other.goto(link)
  await expect(other.getByText(/was used or revoked/)).toBeVisible()
  await theirs.close()

  await page.reload()
  const member = page.getByRole('row').filter({ hasText: email })
  await member.getByRole('button', { name: 'Developer of concierge' }).click()
  await dialog.getByLabel('Search deployments').fill('workbench')
  await dialog.getByLabel('workbench', { exact: true }).check()
  await dialog.getByLabel('Role for workbench').selectOption('viewer')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save roles' }).click()
  await expect(member.getByRole('button', { name: 'Developer of concierge; viewer of workbench' })).toBeVisible()
  await page.goto('/local/audit')
  await expect(
    page.getByText(`changed the role of ${email} to developer of concierge; viewer of workbench`),
  ).toBeVisible()
  await page.goto('/local/members')
  await expect(page.getByRole('table', { name: 'Open invitations' })).toHaveCount(0)
})

test('every response has the security headers, and pages a policy with a nonce', async ({ request }) => {
  for (const path of ['/sign-in', '/healthz', '/api/relay/local/control-plane/v2/deployments', '/nothing/here']) {
    const { headers } = await request.get(path).then((response) => ({ headers: response.headers() }))
    expect(headers['x-content-type-options'], path).toBe('nosniff')
    expect(headers['x-frame-options'], path).toBe('DENY')
    expect(headers['content-security-policy'], path).toBeTruthy()
    expect(headers['x-powered-by'], path).toBeUndefined()
  }
  // The first one loads the route, and later ones reach it without the framework.
  const [first, second] = [await request.post('/api/live'), await request.post('/api/live')].map((one) => {
    const { date, vary, 'content-encoding': encoding, ...rest } = one.headers()
    return rest
  })
  expect(second).toEqual(first)
  const page = (await request.get('/sign-in')).headers()['content-security-policy'] ?? ''
  expect(page).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic'/)
  expect(page).not.toContain('unsafe-eval')
  const [script = ''] = (await (await request.get('/sign-in')).text()).match(/\/_next\/static\/chunks\/[^"]+\.js/) ?? []
  const program = await request.get(script, { headers: { 'accept-encoding': 'gzip, br' } })
  expect(program.headers()).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    'content-type': 'application/javascript; charset=UTF-8',
    'x-content-type-options': 'nosniff',
  })
  expect(await program.text()).toContain('TURBOPACK')
  expect((await request.get('/_next/image?url=%2Ficon.svg&w=64&q=75')).status()).toBe(404)
})

test('icons, manifest and social image are served without a session and with their types', async ({ request }) => {
  const types = {
    '/manifest.webmanifest': 'application/manifest+json',
    '/icon.svg': 'image/svg+xml',
    '/icon-dark.svg': 'image/svg+xml',
    '/icon-192.png': 'image/png',
    '/apple-touch-icon.png': 'image/png',
    '/favicon.ico': 'image/x-icon',
    '/social.png': 'image/png',
  }
  for (const [path, type] of Object.entries(types)) {
    const response = await request.get(path)
    expect(response.status(), path).toBe(200)
    expect(response.headers()['content-type'], path).toContain(type)
  }
  const page = await (await request.get('/sign-in')).text()
  for (const path of ['/manifest.webmanifest', '/icon.svg', '/icon-dark.svg', '/apple-touch-icon.png', '/social.png'])
    expect(page).toContain(path)
})

test('without a session nothing can be read, and a foreign origin cannot post', async ({ request, baseURL }) => {
  expect((await request.get('/api/relay/local/control-plane/v2/deployments')).status()).toBe(401)
  const body = { subscriptions: [] }
  expect((await request.post('/api/live', { data: body })).status()).toBe(403)
  expect((await request.post('/api/live', { data: body, headers: { origin: 'https://evil.example' } })).status()).toBe(
    403,
  )
  expect((await request.post('/api/live', { data: body, headers: { origin: baseURL ?? '' } })).status()).toBe(401)
})
