import { test as base, type Cookie, expect, type Page } from '@playwright/test'
import { watchCanary } from './journeys-canary'

export const admin = { email: 'admin@example.com', password: 'correct horse battery staple' }

/** Cookies of people who signed in before, by address: hashing a password each time costs journeys a second each. */
const sessions = new Map<string, Cookie[]>()

/** Signs in and waits for the first page behind the door: as a person does, or with the session that this person has already. */
export async function signIn(page: Page, who = admin): Promise<void> {
  await page.context().addCookies(sessions.get(who.email) ?? [])
  await page.goto('/')
  const door = page.getByRole('button', { name: 'Sign in', exact: true })
  const first = page.getByRole('heading', { name: 'Deployments' })
  await expect(door.or(first)).toBeVisible()
  if (await door.isVisible()) {
    await giveCredentials(page, who)
    await expect(first).toBeVisible()
    sessions.set(who.email, await page.context().cookies())
  }
}

/** Fills and sends the sign-in form that is on the page. */
export async function giveCredentials(page: Page, who = admin): Promise<void> {
  await page.getByLabel('Email').fill(who.email)
  await page.getByLabel('Password').fill(who.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** From the list: opens a deployment, wherever other journeys have pushed it to. */
export async function openDeployment(page: Page, name: string): Promise<void> {
  await page.getByLabel('Search by name').fill(name)
  await page.getByRole('link', { name, exact: true }).click()
}

/** From a page of a deployment: starts the chat graph with a message, and waits for the run's own page. */
export async function startChat(page: Page, message: string): Promise<void> {
  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'chat (default)' })
  await page.getByLabel('Message', { exact: true }).last().fill(message)
  await page.getByRole('button', { name: 'Start run' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
}

/** A page whose console must stay free of policy violations and uncaught errors over the whole journey, and that gets no secret. */
export const test = base.extend<{ page: Page }>({
  page: async ({ page }, use) => {
    const complaints: string[] = []
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    const leaks = watchCanary(page.context())
    await use(page)
    expect(await leaks(), 'secrets given away').toEqual([])
    expect(complaints).toEqual([])
  },
})
export { expect }
