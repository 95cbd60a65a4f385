import { defineConfig } from '@playwright/test'

const executablePath = process.env.CHROMIUM
const port = process.env.E2E_PORT ?? '3105'

/** Settings of the console under test; the test that needs the provider starts it. */
export const SINGLE_SIGN_ON = {
  issuer: `http://127.0.0.1:${Number(port) + 1}`,
  clientId: 'console',
  clientSecret: 'a client secret',
}

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/support/journeys-canary.ts',
  outputDir: 'test-results/playwright',
  workers: 3, // on two cores: many journeys wait for runs and roll-outs
  timeout: 120_000, // generous, for busy machines
  expect: { timeout: 15_000 },
  retries: process.env.CI ? 1 : 0,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list'], ['json', { outputFile: 'test-results/playwright.json' }]],
  use: {
    baseURL: `http://localhost:${port}`,
    actionTimeout: 20_000, // so that an element that cannot be clicked fails before the test does
    contextOptions: { reducedMotion: 'reduce' }, // software rendering of animations would dominate the cost of a test
    trace: 'on-first-retry', // recording every test would slow it down
    screenshot: 'only-on-failure',
    launchOptions: executablePath
      ? {
          executablePath,
          args: [
            '--no-sandbox',
            '--disable-gpu',
            '--disable-quic',
            '--no-first-run',
            '--disable-background-networking',
            '--disable-component-update',
            '--disable-sync',
            '--disable-dev-shm-usage',
          ],
        }
      : {}, // Playwright's own browser
  },
  webServer: {
    command: 'exec node e2e/support/serve.mjs',
    url: `http://localhost:${port}/readyz`,
    env: {
      PORT: port,
      NEXTAUTH_URL: `http://localhost:${port}`,
      PILOTHOUSE_ADMIN_EMAIL: 'admin@example.com',
      PILOTHOUSE_ADMIN_PASSWORD: 'correct horse battery staple',
      OIDC_ISSUER: SINGLE_SIGN_ON.issuer,
      OIDC_CLIENT_ID: SINGLE_SIGN_ON.clientId,
      OIDC_CLIENT_SECRET: SINGLE_SIGN_ON.clientSecret,
      OIDC_ROLE_MAP: 'operators=developer',
    },
    gracefulShutdown: { signal: 'SIGTERM', timeout: 12_000 },
    stdout: 'pipe',
    timeout: 180_000,
  },
})
