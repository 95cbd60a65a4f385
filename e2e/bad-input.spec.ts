import { expect, signIn, startChat, test } from './support/session'

test('a wrong password is said next to the form, once, and the email stays', async ({ page }) => {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill('admin@example.com')
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.locator('main [role=alert]')).toHaveText(/Email or password is not right/)
  await expect(page.getByLabel('Email')).toHaveValue('admin@example.com')
})

test('an ended session leads to the sign-in and back to the same page', async ({ page, context }) => {
  await signIn(page)
  await page.goto('/local/settings')
  await context.clearCookies()
  await page.goto('/local/members')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.getByLabel('Email').fill('admin@example.com')
  await page.getByLabel('Password').fill('correct horse battery staple')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/local\/members$/)
})

test('input that is no JSON, or not what the graph takes, is said with its place, and nothing typed is lost', async ({
  page,
}) => {
  await signIn(page)
  await page.getByRole('link', { name: 'concierge' }).click()
  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByLabel('Assistant').selectOption({ label: 'chat (default)' })
  await page.getByText('JSON', { exact: true }).first().click()
  const editor = page.getByRole('textbox', { name: 'Input' })
  await editor.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('{"messages": [}')
  await page.getByRole('button', { name: 'Start run' }).click()
  await expect(page.getByText(/line 1/i).first()).toBeVisible()
  await expect(editor).toContainText('{"messages": [}')

  await editor.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('{"messages": 7}')
  await page.getByRole('button', { name: 'Start run' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'messages' }).first()).toBeVisible()
  await expect(editor).toContainText('{"messages": 7}')
})

test('an unknown deployment, thread, run and page are said in plain words', async ({ page }) => {
  await signIn(page)
  await page.getByRole('link', { name: 'concierge' }).click()
  await expect(page.getByRole('heading', { name: 'concierge' })).toBeVisible()
  const deployment = new URL(page.url()).pathname
  const nobody = '00000000-0000-4000-8000-000000000000'
  await page.goto(`/local/deployments/${nobody}`)
  await expect(page.getByText('There is nothing here')).toBeVisible()
  await page.goto('/local/deployments/no-such-id')
  await expect(page.getByText('There is nothing here')).toBeVisible()
  await page.goto(`${deployment}/threads/${nobody}`)
  await expect(page.getByText(/There is nothing here|not found|no such thread/i).first()).toBeVisible()
  await page.goto(`${deployment}/runs/${nobody}`)
  await expect(page.getByText(/There is nothing here|not found|no recording/i).first()).toBeVisible()
  await page.goto('/nowhere/deployments')
  await expect(page.getByText('There is nothing here')).toBeVisible()
})

test('a graph that raises ends as failed, with its message shown', async ({ page }) => {
  await signIn(page)
  await page.getByRole('link', { name: 'workbench' }).click()
  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByLabel('Assistant').selectOption({ label: 'failing (default)' })
  await page.getByRole('button', { name: 'Start run' }).click()
  await expect(page.getByText('Failed', { exact: true }).first()).toBeVisible({ timeout: 20_000 })
})

test('hostile text in a message runs nothing and leaves nothing', async ({ page }) => {
  await signIn(page)
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith('http://localhost')) foreign.push(request.url())
  })
  await page.getByRole('link', { name: 'concierge' }).click()
  await startChat(
    page,
    '<img src=x onerror="document.title=1"><script>document.title=2</script> ![x](https://example.com/p.png)',
  )
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('<script>document.title=2</script>').first()).toBeVisible()
  await expect(page).toHaveTitle(/Pilothouse/)
  expect(foreign).toEqual([])
})
