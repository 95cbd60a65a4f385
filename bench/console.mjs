// The product as `npm start` runs it, and a browser, for the benches that look at pages.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { chromium } from '@playwright/test'
import { cleanEnv, ensureChromium, root } from '../scripts/bootstrap.mjs'

const admin = { email: 'admin@example.com', password: 'correct horse battery staple' }

export const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })

async function until(url) {
  for (let tries = 0; tries < 600; tries++) {
    if ((await fetch(url).catch(() => undefined))?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not answer within a minute`)
}

export const finish = async (child) => {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** A console over a data folder of its own, and with it the embedded platform unless `settings` name a control plane. */
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
  await until(`${url}/readyz`)
  return { url, end: () => finish(child) }
}

export function launchChromium() {
  const executablePath = ensureChromium()
  return chromium.launch({
    ...(executablePath && { executablePath }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-dev-shm-usage'],
  })
}

/** Signs in and ends at the list of deployments. */
export async function signIn(page) {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password').fill(admin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(/deployments/)
}
