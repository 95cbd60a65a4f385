import type { Page } from '@playwright/test'
import { launchChromium } from '../../../bench/console.mjs'

/** A page of its own browser for `work`. */
export async function withPage<T>(baseURL: string, work: (page: Page) => Promise<T>): Promise<T> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ baseURL, reducedMotion: 'reduce' })
    page.setDefaultTimeout(60_000)
    return await work(page)
  } finally {
    await browser.close()
  }
}

const CHOSEN = 'a password of my own 7'
const MESSAGE = 'A berth costs 42 euros a night. What is 3 * 42 + 18?'

async function enter(page: Page, email: string, password: string) {
  await page.goto('/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The account of `first-sign-in.txt`. */
function accountIn(text: string) {
  const [, email = ''] = /email:\s*(\S+)/i.exec(text) ?? []
  const [, password = ''] = /password:\s*(\S+)/i.exec(text) ?? []
  return { email, password }
}

/** Signs in for the first time, with what the file says, and chooses a password. Gives who can sign in from then on. */
export async function signInFirst(page: Page, text: string) {
  const { email, password } = accountIn(text)
  await enter(page, email, password)
  await page.getByRole('heading', { name: 'Choose a password' }).waitFor()
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill(CHOSEN)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  return email
}

export async function signInAgain(page: Page, email: string) {
  await enter(page, email, CHOSEN)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/** A run as the guide's section "First run" says it, to its end. Gives the path of its page. */
export async function runToItsEnd(page: Page): Promise<string> {
  const menu = page.getByRole('navigation', { name: 'Main' })
  await menu.getByRole('link', { name: 'Deployments', exact: true }).click()
  await page.getByRole('link', { name: 'concierge' }).first().click()
  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByLabel('Message', { exact: true }).last().fill(MESSAGE)
  await page.getByRole('button', { name: 'Start run' }).click()
  await expectFinished(page)
  return new URL(page.url()).pathname
}

/** The page shows a run that has finished, with its messages. */
export async function expectFinished(page: Page) {
  await page.getByText('Finished', { exact: true }).first().waitFor()
  await page.getByText('Recorded', { exact: true }).waitFor()
  await page.getByText(MESSAGE).first().waitFor()
}
