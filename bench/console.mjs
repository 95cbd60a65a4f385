// The product as `npm start` runs it, and a browser, for benches of pages.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chromium } from '@playwright/test'
import { cleanEnv, root } from '../scripts/bootstrap.mjs'
import { requireChromium } from '../scripts/chromium.mjs'
import { freePort, until } from './next-app.mjs'

const admin = { email: 'admin@example.com', password: 'correct horse battery staple' }

/** A console with its own data folder, and the embedded platform unless `settings` name a control plane. */
export async function startConsole(settings = {}) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const env = {
    PORT: String(port),
    NEXTAUTH_URL: url,
    PILOTHOUSE_ADMIN_EMAIL: admin.email,
    PILOTHOUSE_ADMIN_PASSWORD: admin.password,
    ...settings,
  }
  const child = spawn(process.execPath, ['e2e/support/serve.mjs'], { cwd: root, env: cleanEnv(env), stdio: 'ignore' })
  const end = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  try {
    await until(`${url}/readyz`)
  } catch (error) {
    await end()
    throw error
  }
  return { url, end }
}

export function launchChromium() {
  const executablePath = requireChromium()
  return chromium.launch({
    ...(executablePath && { executablePath }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-dev-shm-usage'],
  })
}

/** Signs in; ends on the first workspace's home. */
export async function signIn(page) {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password').fill(admin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(/\/(local|default)$/)
}
