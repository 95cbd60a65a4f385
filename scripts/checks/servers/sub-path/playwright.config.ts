import { defineConfig } from '@playwright/test'
import journeys from '../../../../playwright.config'

/** The settings of the other journeys, for a console that is served already. */
export default defineConfig({
  ...journeys,
  testDir: '.',
  globalSetup: [],
  outputDir: '../../../../test-results/sub-path',
  reporter: 'list',
  workers: 1,
  webServer: [],
  use: { ...journeys.use, baseURL: new URL(process.env.SUB_PATH_URL ?? '').origin },
})
