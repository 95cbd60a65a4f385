import type { Page } from '@playwright/test'
import { agentOf } from './support/platform'
import { admin, expect, signIn, test } from './support/session'

/** Holds the program of the pages back. Returns a function that lets it come. */
async function holdProgram(page: Page): Promise<() => Promise<void>> {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/_next/static/**/*.js*', async (route) => {
    await held
    await route.continue()
  })
  return async () => {
    release()
    await page.waitForLoadState('load')
  }
}

/** A page that is drawn while its program is held back. */
const open = (page: Page, path: string) => page.goto(path, { waitUntil: 'commit' })

test('what is typed and sent before the program has come is kept: sign-in, filter, message', async ({ page }) => {
  let release = await holdProgram(page)
  await open(page, '/sign-in?callbackUrl=%2Flocal%2Fdeployments')
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password').fill(admin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const address = page.url()
  await release()
  await expect(page.getByRole('heading', { name: 'Deployments' })).toBeVisible()
  expect(address).not.toContain('password')
  await expect(page.getByRole('link', { name: 'workbench', exact: true })).toBeVisible()

  await page.unrouteAll()
  release = await holdProgram(page)
  await open(page, '/local/deployments')
  await page.getByRole('searchbox', { name: 'Search by name' }).pressSequentially('concierg')
  await release()
  await expect(page).toHaveURL(/concierg/)
  await expect(page.getByRole('link', { name: 'workbench', exact: true })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'concierge', exact: true })).toBeVisible()

  const { id } = await agentOf('concierge')
  await page.unrouteAll()
  release = await holdProgram(page)
  await open(page, `/local/deployments/${id}/chat?assistant=chat`)
  const message = page.getByRole('textbox', { name: /^(Input|Message)$/ })
  await message.pressSequentially('What is 6 * 7?')
  await message.press('Enter')
  await release()
  await expect(page.getByRole('article', { name: 'AI message' }).last()).toContainText('42', { timeout: 30_000 })
  await expect(page.getByRole('article', { name: 'Human message' })).toHaveText(/What is 6 \* 7\?/)
  await expect(message).toHaveValue('')
  await expect(message).toBeFocused()
})

test('buttons that are pressed before the program has come do what they say: a dialog, a menu', async ({ page }) => {
  await signIn(page, '/local/members')
  const presses = [
    {
      button: page.getByRole('button', { name: 'Invite by link' }),
      opened: page.getByRole('dialog', { name: /Invit/ }),
    },
    { button: page.getByRole('button', { name: 'Account menu' }), opened: page.getByRole('menu') },
  ]
  for (const { button, opened } of presses) {
    await page.unrouteAll()
    const release = await holdProgram(page)
    await open(page, '/local/members')
    await button.click()
    await expect(opened).toHaveCount(0)
    await release()
    await expect(opened).toBeVisible()
  }
})

test('keys that are pressed before the program has come do what they say: a section, the search', async ({ page }) => {
  await signIn(page, '/local/members')
  const release = await holdProgram(page)
  await open(page, '/local/members')
  await expect(page.getByRole('heading', { name: 'Members' })).toBeVisible()
  for (const key of ['g', 'd', 'Control+k']) await page.keyboard.press(key)
  await release()
  await expect(page).toHaveURL(/\/local\/deployments$/)
  await expect(page.getByRole('dialog')).toBeVisible()
})
