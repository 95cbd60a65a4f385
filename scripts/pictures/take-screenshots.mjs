// node scripts/pictures/take-screenshots.mjs: takes the README's pictures from the running product, in both themes. Needs ffmpeg.
import path from 'node:path'
import { launchChromium, signIn, startConsole } from '../../bench/console.mjs'
import { root } from '../bootstrap.mjs'
import { shrink } from './shrink.mjs'

const { url, end } = await startConsole()
const browser = await launchChromium()
try {
  const page = await browser.newPage({ baseURL: url, viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  await signIn(page)
  await page.getByRole('link', { name: 'Deployments', exact: true }).click()
  await page.getByRole('link', { name: 'concierge' }).first().click()
  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'chat (default)' })
  await page.getByLabel('Message', { exact: true }).last().fill('A berth costs 42 euros a night. What is 3 * 42 + 18?')
  await page.getByRole('button', { name: 'Start run' }).click()
  await page.getByText('Finished').first().waitFor()
  await page.getByText('Recorded', { exact: true }).waitFor()
  for (const [theme, name] of /** @type {const} */ ([
    ['light', 'screenshot'],
    ['dark', 'screenshot-dark'],
  ])) {
    await page.emulateMedia({ colorScheme: theme })
    const file = path.join(root, 'docs', `${name}.png`)
    await page.screenshot({ path: file })
    shrink(file)
    console.log(`docs/${name}.png`)
  }
} finally {
  await browser.close()
  await end()
}
