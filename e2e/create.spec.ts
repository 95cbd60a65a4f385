import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { ask } from './support/platform'
import {
  deploymentPath,
  expect,
  expectAccessible,
  pasteInto,
  signIn,
  signInAsViewer,
  startChat,
  test,
} from './support/session'

const root = path.resolve(import.meta.dirname, '..')
const newName = () => `made-${randomBytes(4).toString('hex')}`
const stored = async (name: string): Promise<{ id: string; source_config: Record<string, unknown> }[]> =>
  (await ask('GET', `/v2/deployments?name=${name}`)).resources
/** The field, not the section with the same name. */
const field = (page: Page, name: string) =>
  page.getByLabel(name, { exact: true }).and(page.locator('input, select, textarea'))

async function openForm(page: Page, name: string) {
  await page.getByRole('link', { name: 'New deployment' }).click()
  await expect(page.getByRole('heading', { name: 'New deployment' })).toBeVisible()
  await field(page, 'Name').fill(name)
}
async function send(page: Page) {
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create deployment' }).click()
}
async function openSettings(page: Page, name: string, part: string) {
  await page.goto(`${await deploymentPath(name)}/settings`)
  await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('link', { name: part }).click()
}

test('a deployment from a repository: created once, watched, run, changed and deleted', async ({ page }) => {
  test.setTimeout(150_000)
  const name = newName()
  await signIn(page)
  await openForm(page, 'concierge')
  await expect(page.getByText('A deployment with this name already exists')).toBeVisible()
  await field(page, 'Name').fill(' x')
  await expect(page.getByText('A name cannot begin or end with a space')).toBeVisible()
  await field(page, 'Name').fill(name)

  await field(page, 'Repository').selectOption({ label: 'local/samples' })
  await expect(field(page, 'Branch or tag')).toHaveValue('main')
  await field(page, 'Branch or tag').fill('refs/tags/v1')
  await expect(page.getByRole('checkbox', { name: 'Build on push' })).toBeDisabled()
  await field(page, 'Branch or tag').fill('main')
  await page.getByRole('checkbox', { name: 'Build on push' }).uncheck()
  await page.getByRole('button', { name: 'Review' }).click()
  await expect(field(page, 'Graph config')).toBeFocused()
  await field(page, 'Graph config').fill('graph.json')
  // The repository's example env file becomes secrets to fill; those left empty are not sent.
  await page.getByRole('button', { name: 'Add it as a secret' }).click()
  await expect(page.getByLabel('Name of secret 1')).toHaveValue('GREETING')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Remove secret 1, GREETING' }).click()

  // Errors found only by the server are shown at the field, too.
  const canary = `canary-${randomBytes(6).toString('hex')}`
  await page.getByRole('button', { name: 'Add secret' }).click()
  await pasteInto(page.getByLabel('Name of secret 1'), `# both\nexport GREETING="${canary}"\nPILOTHOUSE_AGENT_X=1\n`)
  await send(page)
  await expect(page.getByLabel('Name of secret 2')).toBeFocused()
  await expect(page.getByText('PILOTHOUSE_AGENT_X is set by the platform')).toBeVisible()
  await page.getByRole('button', { name: 'Remove secret 2, PILOTHOUSE_AGENT_X' }).click()
  await page.getByRole('button', { name: 'Review' }).click()
  await expect(page.getByLabel('Request')).toContainText('"GREETING"')
  await expect(page.getByLabel('Request')).not.toContainText(canary)
  await page.getByRole('button', { name: 'Create deployment' }).dblclick()
  await page.waitForURL(/\/revisions\/[0-9a-f-]{36}$/)
  expect(await stored(name)).toHaveLength(1)

  await page.goto(`/local/deployments/${(await stored(name))[0]?.id}`)
  await expect(page.getByText('Healthy').first()).toBeVisible({ timeout: 60_000 })
  await startChat(page, 'What is 6 * 7?')
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })

  await openSettings(page, name, 'General')
  await expect(page.getByRole('region', { name: 'Fixed' })).toContainText(name)
  await expectAccessible(page)
  await page.getByRole('checkbox', { name: 'Build on push' }).check()
  await page.getByRole('button', { name: 'Review 1 change' }).click()
  await expect(page.getByRole('dialog')).toContainText('does not create a revision')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByText('Saved').first()).toBeVisible()
  expect((await stored(name))[0]?.source_config.build_on_push).toBe(true)

  // A stale tab: another user has changed the deployment meanwhile.
  const other = await page.context().newPage()
  await other.goto(page.url())
  await field(other, 'Install command').fill('true')
  await other.getByRole('button', { name: 'Review 1 change' }).click()
  await other.getByRole('button', { name: 'Save changes' }).click()
  await expect(other.getByText('Saved').first()).toBeVisible()
  await other.close()
  await field(page, 'Branch or tag').fill('refs/tags/v1')
  await page.getByRole('button', { name: 'Review 2 changes' }).click()
  await page.getByRole('button', { name: 'Save and create revision' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: /^Install command/ })).toContainText('Theirs is kept')
  await page.getByRole('button', { name: 'Merge into draft' }).click()
  await expect(field(page, 'Install command')).toHaveValue('true')
  await expect(field(page, 'Branch or tag')).toHaveValue('refs/tags/v1')
  await page.getByRole('button', { name: 'Review 2 changes' }).click()
  await page.getByRole('button', { name: 'Save and create revision' }).click()
  await expect(page.getByRole('link', { name: 'View revision' })).toBeVisible()
  expect((await stored(name))[0]?.source_config).toMatchObject({ build_on_push: false, install_command: 'true' })

  await openSettings(page, name, 'Danger')
  await page.getByRole('checkbox', { name: 'Also delete its tracing project' }).check()
  await page.getByRole('button', { name: 'Delete deployment' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Delete deployment' })).toBeDisabled()
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await dialog.getByRole('button', { name: 'Delete deployment' }).click()
  await page.waitForURL(/\/local\/deployments$/)
  await expect(page.getByText(`${name} is being deleted.`)).toBeVisible()
  await expect.poll(async () => (await stored(name)).length, { timeout: 30_000 }).toBe(0)
})

test('the form for an image has only the relevant fields, and a resource spec error is shown at its field', async ({
  page,
}) => {
  test.setTimeout(90_000)
  const data = readFileSync(path.join(root, 'test-results/e2e-data.txt'), 'utf8')
  execFileSync('node', ['scripts/pack/image.mjs', 'pack', 'platform/samples', 'e2e-samples:1'], {
    cwd: root,
    env: { ...process.env, PILOTHOUSE_DATA: data, INIT_CWD: root },
  })
  const name = newName()
  await signIn(page)
  await openForm(page, name)
  await page.getByRole('radio', { name: /^Image/ }).check()
  await expect(field(page, 'Repository')).toHaveCount(0)
  await expect(field(page, 'Namespace')).toHaveCount(0)
  await field(page, 'Image').fill('e2e-samples:none')
  await page.getByRole('button', { name: 'Set resources' }).click()
  const resources = page.getByRole('region', { name: 'Resources' })
  const cpu = resources.getByLabel('CPU cpu', { exact: true })
  await cpu.fill('99')
  await page.getByRole('button', { name: 'Review' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'cpu: At most 8' })).toBeVisible()
  await expect(cpu).toBeFocused()
  await cpu.fill('0.5')
  await resources.getByLabel('CPU limit cpu_limit', { exact: true }).fill('1')
  await resources.getByRole('tab', { name: 'JSON' }).click()
  await expect(page.getByLabel('Resource spec as JSON')).toContainText('"cpu_limit": 1')
  await send(page)
  await page.waitForURL(/\/revisions\/[0-9a-f-]{36}$/)
  await expect(page.getByRole('region', { name: 'Deploy log' })).toContainText('Similar names: e2e-samples:1')
  await openSettings(page, name, 'General')
  await field(page, 'Image').fill('e2e-samples:1')
  await page.getByRole('button', { name: 'Review 1 change' }).click()
  await page.getByRole('button', { name: 'Save and create revision' }).click()
  await expect(page.getByRole('link', { name: 'View revision' })).toBeVisible()
  const [made] = await stored(name)
  expect(made?.source_config.resource_spec).toMatchObject({ cpu: 0.5, cpu_limit: 1 })
  await page.goto(`/local/deployments/${made?.id}`)
  await expect(page.getByText('Healthy').first()).toBeVisible({ timeout: 60_000 })
})

test('a viewer sees forms and settings, but cannot submit them', async ({ page }) => {
  await signInAsViewer(page, '/local/deployments')
  const isRefused = async (button: string) =>
    expect(page.getByRole('button', { name: button })).toHaveAttribute('title', /admin/)
  await isRefused('New deployment')
  await page.goto('/local/deployments/new')
  await isRefused('Review')
  await expect(field(page, 'Name')).toBeDisabled()
  await openSettings(page, 'concierge', 'General')
  await isRefused('Review changes')
  await expect(field(page, 'Branch or tag')).toHaveValue('main')
  await expect(field(page, 'Branch or tag')).toBeDisabled()
  await openSettings(page, 'concierge', 'Danger')
  await isRefused('Delete deployment')
})
