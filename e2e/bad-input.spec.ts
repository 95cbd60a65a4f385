import type { Locator, Page } from '@playwright/test'
import { SAMPLE_ID } from './support/sample-inputs'
import { expect, openDeployment, signIn, startChat, test } from './support/session'
import { send, startStubAgent } from './support/stub-agent'
import type { Reply } from './support/stub-upstream'
import { addAgentServer } from './support/workspace'

/** The start page's JSON editor with all its text selected. */
async function openJsonEditor(page: Page): Promise<Locator> {
  await openDeployment(page, 'concierge')
  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'chat (default)' })
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  // The editor is loaded on demand and replaces a plain text field.
  const editor = page.locator('.cm-content[role=textbox]').and(page.getByRole('textbox', { name: 'Input as JSON' }))
  await editor.click()
  await page.keyboard.press('ControlOrMeta+a')
  return editor
}

test('a wrong password shows one error next to the form and keeps the email', async ({ page }) => {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill('admin@example.com')
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.locator('main [role=alert]')).toHaveText(/Wrong email or password/)
  await expect(page.getByLabel('Email')).toHaveValue('admin@example.com')
})

test('an ended session leads to sign-in and back to the same page', async ({ page, context }) => {
  await signIn(page, '/local/settings')
  await context.clearCookies()
  await page.goto('/local/members')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.getByLabel('Email').fill('admin@example.com')
  await page.getByLabel('Password').fill('correct horse battery staple')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL(/\/local\/members$/)
})

test('invalid JSON and schema violations are shown while typing, and nothing typed is lost', async ({ page }) => {
  const editor = await openJsonEditor(page)
  await page.keyboard.insertText('{"messages": [}')
  await expect(editor).toHaveAccessibleDescription(/Line 1, column 15/) // before anything is sent
  await page.getByRole('button', { name: 'Start run' }).click()
  await expect(editor).toHaveAccessibleDescription(/Line 1, column 15/)
  await expect(page.getByText(/Line 1, column 15/)).toHaveCount(1)
  await expect(editor).toContainText('{"messages": [}')

  await expect(editor).toBeFocused() // where the error's link leads
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('{"messages": 7}')
  await expect(editor).toHaveAccessibleDescription(/messages/)
  await expect(page.getByText(/Line 1, column/)).toHaveCount(0)
  await page.getByRole('button', { name: 'Start run' }).click()
  await expect(editor).toBeFocused()
  await expect(editor).toHaveAttribute('aria-invalid', 'true')
  await expect(editor).toContainText('{"messages": 7}')

  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('{"messages": []}')
  await expect(editor).not.toHaveAttribute('aria-invalid', 'true')
})

test('a megabyte pasted into the editor is checked in full without blocking typing', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const editor = await openJsonEditor(page)
  const text = JSON.stringify(
    {
      messages: [],
      rows: Array.from({ length: 12_000 }, (_, row) => ({
        row,
        text: 'sixty-four characters of text, or about as many as that, in a row',
      })),
    },
    null,
    1,
  )
  expect(text.length).toBeGreaterThan(1024 * 1024)
  await page.evaluate((given) => navigator.clipboard.writeText(given), `${text.slice(0, -1)},`)
  // Measures the longest block of the main thread from here on.
  await page.evaluate(() => {
    const seen = window as unknown as { longest: number }
    seen.longest = 0
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration)
    }).observe({ type: 'longtask' })
  })
  await page.keyboard.press('ControlOrMeta+v')
  await expect(editor).toHaveAccessibleDescription(/Line \d{5}, column \d/)
  await page.keyboard.type(' "last": 1}')
  await expect(editor).toContainText('"last": 1}')
  await expect(editor).not.toHaveAccessibleDescription(/Line/)
  const longest = await page.evaluate(() => (window as unknown as { longest: number }).longest)
  test.info().annotations.push({ type: 'longest task', description: `${Math.round(longest)} ms` })
  expect(longest).toBeLessThan(1_000)
})

test('a graph that raises an exception ends as failed and shows its message', async ({ page }) => {
  await openDeployment(page, 'workbench')
  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'failing (default)' })
  await page.getByRole('button', { name: 'Start run' }).click()
  await expect(page.getByText('Failed', { exact: true }).first()).toBeVisible({ timeout: 20_000 })
})

test('nothing in a stream is executed or sends a request', async ({ page }) => {
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!/^(http:\/\/localhost|data:image\/png|blob:)/.test(request.url())) foreign.push(request.url())
  })
  const run = { run_id: SAMPLE_ID, thread_id: SAMPLE_ID, assistant_id: SAMPLE_ID, status: 'success' }
  const said = [
    '<img src=x onerror="document.title=1"><script>document.title=2</script>',
    '![x](https://evil.example/p.png) [your bank](https://evil.example/login) pay\u202Eroll',
    '[open](data:text/html,<script>document.title=3</script>) [run](javascript:document.title=4)',
    'x'.repeat(1_048_576), // one token
  ]
  const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`
  const stub = await startStubAgent(({ method, path }): Reply | undefined => {
    if (method === 'POST' && path.endsWith('/runs/stream'))
      return (response) => {
        send(response, ['metadata', run])
        response.write(`event: custom\ndata: ${deep}\n\n`)
        for (const content of said)
          send(response, ['messages', [{ type: 'AIMessageChunk', id: 'm', content: `${content}\n\n` }, {}]])
        send(response, ['end', { status: 'success' }])
        response.end()
      }
    if (path.endsWith(`/runs/${SAMPLE_ID}`)) return { body: run }
    if (path.endsWith('/state')) return { body: { values: {}, next: [], tasks: [] } }
    return undefined
  })
  try {
    await addAgentServer(page, { name: 'hostile', url: stub.url })
    await startChat(page, 'Go.')
    await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
    const message = page.getByRole('article', { name: 'AI message' })
    await expect(message).toContainText('<script>document.title=2</script>')
    await expect(message).toContainText('your bank (evil.example)')
    await expect(message.getByText('RLO')).toBeVisible()
    expect(await message.locator('img, script, a[href^="data:"], a[href^="javascript:"]').count()).toBe(0)
    await page.getByRole('tab', { name: /^Events/ }).click()
    const events = page.getByRole('listbox', { name: 'Events' })
    await events.getByRole('option').filter({ hasText: 'custom' }).click()
    await expect(page.getByRole('region', { name: 'Entry 2' })).toContainText('[[[[')
    await expect(page).toHaveTitle(/Pilothouse/)
    expect(foreign).toEqual([])
  } finally {
    await stub.stop()
  }
})
