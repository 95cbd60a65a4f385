import { randomBytes } from 'node:crypto'
import AxeBuilder from '@axe-core/playwright'
import { test as base, type Cookie, expect, type Locator, type Page } from '@playwright/test'
import { watchCanary } from './journeys-canary'
import { ask, makeTalker } from './platform'

type Person = { email: string; password: string }
export const admin: Person = { email: 'admin@example.com', password: 'correct horse battery staple' }

/** The session cookies by email, because hashing a password at each sign-in takes a second. */
const sessions = new Map<string, Cookie[]>()

/** Opens a page that requires sign-in, reusing the user's session if there is one. */
export async function signIn(page: Page, path = '/local/deployments', who = admin): Promise<void> {
  const context = page.context()
  const known = sessions.get(who.email) ?? []
  const held = new Set((await context.cookies()).map(({ value }) => value))
  // Other tabs of a context that is signed in must not send a request without its cookies.
  if (known.length === 0 || !known.every(({ value }) => held.has(value))) {
    await context.clearCookies()
    await context.addCookies(known)
  }
  await page.goto(path)
  const door = page.getByRole('button', { name: 'Sign in', exact: true })
  const inside = page.getByRole('navigation', { name: 'Main' })
  await expect(door.or(inside)).toBeVisible()
  if (await door.isVisible()) {
    await giveCredentials(page, who)
    await expect(inside).toBeVisible()
    sessions.set(who.email, await page.context().cookies())
  }
}

/**
 * Adds a member as an administrator, with a new email each time, who signs in once and chooses a password. Ends on the
 * members page.
 */
export async function addMember(page: Page, role?: string): Promise<Person> {
  const email = `member-${randomBytes(4).toString('hex')}@example.com`
  await signIn(page, '/local/members')
  await page.getByLabel('Email').fill(email)
  if (role) await page.getByLabel('Role', { exact: true }).selectOption(role)
  await page.getByRole('button', { name: 'Add member' }).click()
  const told = page.getByRole('dialog').locator('.select-all')
  const password = ((await told.textContent()) ?? '').trim()
  await page.keyboard.press('Escape')
  await expect(told).toHaveCount(0)
  const person = { email, password: `chosen ${randomBytes(8).toString('hex')}` }
  const theirs = await page.context().browser()?.newContext()
  if (!theirs) throw new Error('The page has no browser of its own.')
  const first = await theirs.newPage()
  await first.goto('/local/deployments')
  await giveCredentials(first, { email, password })
  await choosePassword(first, password, person.password)
  await expect(first.getByRole('heading', { name: 'Deployments' })).toBeVisible()
  sessions.set(email, await theirs.cookies())
  await theirs.close()
  return person
}

/** Changes an initial password, which is all that a first sign-in can do. */
export async function choosePassword(page: Page, initial: string, next: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Choose a password' })).toBeVisible()
  await page.getByLabel('Current password').fill(initial)
  await page.getByLabel('New password').fill(next)
  await page.getByRole('button', { name: 'Change password' }).click()
}

let viewer: Person | undefined
/** Opens a page as a viewer. */
export async function signInAsViewer(page: Page, path: string): Promise<void> {
  viewer ??= await addMember(page)
  await signIn(page, path, viewer)
}

/** Fills in and submits the sign-in form on the page. */
export async function giveCredentials(page: Page, who = admin): Promise<void> {
  await page.getByLabel('Email').fill(who.email)
  await page.getByLabel('Password').fill(who.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The path of a deployment's page. */
export async function deploymentPath(name: string): Promise<string> {
  const { resources } = await ask('GET', `/v2/deployments?name_contains=${name}`)
  return `/local/deployments/${resources[0].id}`
}

/** Signs in and opens a deployment's page. */
export async function openDeployment(page: Page, name: string, who = admin): Promise<void> {
  await signIn(page, await deploymentPath(name), who)
  await expect(page.getByRole('heading', { name, exact: true })).toBeVisible()
}

/** Opens a page of a deployment that has no tab. */
export async function openPart(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Deployment sections' }).getByRole('button').click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

/** Starts the chat graph with a message from a deployment's page, and waits for the run's page. */
export async function startChat(page: Page, message: string): Promise<void> {
  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'chat (default)' })
  await sendMessage(page, message)
}

/** Signs in, starts a chat with this many milliseconds between words, and waits for the run's page. */
export async function startTalk(page: Page, delay_ms: number, message: string): Promise<void> {
  const { deployment: deploymentId, assistant } = await makeTalker(delay_ms)
  await signIn(page, `/local/deployments/${deploymentId}/runs/new?assistant=${assistant}`)
  await sendMessage(page, message)
}

async function sendMessage(page: Page, message: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).last().fill(message)
  await page.getByRole('button', { name: 'Start run' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
}

/** The texts that the page shows and the document that the server sent does not have, and the other way round. */
async function differingTexts(page: Page, sent: Promise<string>): Promise<string> {
  const shown = await page.evaluate(() => document.body.innerHTML).catch(() => '')
  const textsOf = (html: string) =>
    new Set(
      html
        .replace(/<(script|style)[^>]*>.*?<\/\1>|<!--.*?-->/gs, '')
        .split(/<[^>]*>/)
        .filter(Boolean),
    )
  const [before, after] = [textsOf(await sent), textsOf(shown)]
  const only = (of: Set<string>, other: Set<string>) => [...of].filter((text) => !other.has(text)).slice(0, 30)
  return JSON.stringify({ sent: only(before, after), shown: only(after, before) })
}

/** A page that must not receive a secret, violate the content security policy or throw during the whole test. */
export const test = base.extend<{ page: Page }>({
  page: async ({ page }, use) => {
    const complaints: string[] = []
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) complaints.push(message.text())
    })
    let sent: Promise<string> = Promise.resolve('')
    page.on('response', (response) => {
      if (response.request().isNavigationRequest() && response.frame() === page.mainFrame())
        sent = response.text().catch(() => '')
    })
    const different: Promise<void>[] = []
    page.on('pageerror', (error) => {
      complaints.push(`${error} at ${new URL(page.url()).pathname}`)
      // React's error for a first render that differs from the server's does not say in what.
      if (/#418/.test(error.message))
        different.push(differingTexts(page, sent).then((texts) => void complaints.push(texts)))
    })
    const leaks = watchCanary(page.context())
    await use(page)
    expect(await leaks(), 'secrets given away').toEqual([])
    await Promise.all(different)
    expect(complaints).toEqual([])
  },
})
export { expect }

/** Pastes through a paste event, without touching the machine's clipboard. */
export const pasteInto = (field: Locator, text: string): Promise<void> =>
  field.evaluate((element, value) => {
    const data = new DataTransfer()
    data.setData('text/plain', value)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  }, text)

/** axe without checks inside frames, and reporting violations only, which halves its time. */
export const axeOf = (page: Page) => new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode()

/** Expects no axe violations on the current page. */
export async function expectAccessible(page: Page): Promise<void> {
  await expect(page).toHaveTitle(/./) // it follows the page it is of
  const { violations } = await axeOf(page).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)).toEqual([])
}
