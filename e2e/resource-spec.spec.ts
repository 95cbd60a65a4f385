import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { LISTENER_ID } from '@/platform/control-plane/platform'
import { ask } from './support/platform'
import { deploymentPath, expect, signIn, signInAsViewer, test } from './support/session'

const root = path.resolve(import.meta.dirname, '..')

/** Creates a self-hosted deployment with this spec; returns its id. */
async function deploy(name: string, spec: object): Promise<string> {
  const data = readFileSync(path.join(root, 'test-results/e2e-data.txt'), 'utf8').trim()
  execFileSync(process.execPath, ['scripts/pack/image.mjs', 'pack', 'platform/samples', 'e2e/spec:1'], {
    cwd: root,
    env: { ...process.env, PILOTHOUSE_DATA: data, INIT_CWD: root },
  })
  const { id } = await ask('POST', '/v2/deployments', {
    name,
    source: 'external_docker',
    source_config: { listener_id: LISTENER_ID, resource_spec: spec },
    source_revision_config: { image_uri: 'e2e/spec:1' },
    secrets: [],
  })
  return id
}
const stored = async (id: string) => await ask('GET', `/v2/deployments/${id}`)
const resources = (id: string) => `/local/deployments/${id}/settings/resources`
const open = async (page: Page, id: string) => {
  await signIn(page, resources(id))
  await expect(page.getByRole('heading', { name: 'Resource spec' })).toBeVisible()
}
const cpuOf = (page: Page) =>
  page.getByRole('region', { name: 'Agent server' }).getByLabel('CPU', { exact: false }).first()

const SPEC = {
  cpu: 1,
  labels: { team: 'harbour' },
  orchestrator_cpu: 1,
  sidecars: [{ name: 'proxy', image: 'proxy:1', args: ['-c', 'one\ntwo'] }],
}

test('a spec is edited as form and as text, reviewed, and becomes a revision with exactly the reviewed changes', async ({
  page,
}) => {
  const id = await deploy('spec-journey', SPEC)
  try {
    const before = await stored(id)
    await open(page, id)
    await expect(page.getByRole('region', { name: 'Reserved' })).toContainText('orchestrator_cpu')
    await expect(page.getByRole('button', { name: 'Review changes' })).toHaveAttribute('aria-disabled', 'true')
    await cpuOf(page).fill('99')
    await expect(page.getByRole('region', { name: 'Errors' })).toContainText('cpu At most 8')
    await cpuOf(page).fill('2')
    await expect(page.getByRole('region', { name: 'Errors' })).toHaveCount(0)
    await expect(page.getByRole('region', { name: 'Agent server' })).toContainText('4 cores')

    const storage = page.getByRole('region', { name: 'Storage' })
    await storage.getByRole('button', { name: 'Add volume' }).click()
    await storage.getByRole('group', { name: 'volume 1' }).getByLabel('Name').fill('data')
    await storage.getByRole('button', { name: 'Add mount' }).click()
    const mount = storage.getByRole('group', { name: 'mount 1' })
    await mount.getByLabel('Volume', { exact: true }).fill('nowhere')
    await expect(mount.getByText('No volume is named nowhere')).toBeVisible()
    await mount.getByLabel('Volume', { exact: true }).fill('data')
    await mount.getByLabel('Mount path').fill('/data')

    await page.getByRole('tab', { name: 'YAML' }).click()
    const text = page.getByLabel('Resource spec as YAML')
    await expect(text).toContainText('mountPath: /data')
    await text.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('annotations: {note: "07"}\n]')
    await page.getByRole('tab', { name: 'Form' }).click()
    await expect(page.getByText(/The text is not valid: line \d+/)).toBeVisible()
    await expect(text).toContainText(']')
    await page.keyboard.press('Control+End')
    await text.press('Control+End')
    await page.keyboard.press('Backspace')
    await page.getByRole('tab', { name: 'JSON' }).click()
    await expect(page.getByLabel('Resource spec as JSON')).toContainText('"note": "07"')
    await page.getByRole('tab', { name: 'Form' }).click()
    await expect(page.getByLabel('Value 1 of Annotations')).toHaveValue('07')

    await page.getByRole('button', { name: 'Review 4 changes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Review changes' })
    await expect(dialog).toContainText('replaces the whole spec')
    await expect(dialog.getByRole('list', { name: 'Changes' }).locator('> li')).toHaveCount(4)
    for (const name of ['cpu', 'volumes', 'volume_mounts', 'annotations'])
      await expect(dialog.getByText(name, { exact: true })).toBeVisible()
    await dialog.getByRole('button', { name: 'Save and create revision' }).click()
    await expect(page.getByRole('link', { name: 'View revision' })).toBeVisible({ timeout: 20_000 })

    const after = await stored(id)
    expect(after.latest_revision_id).not.toBe(before.latest_revision_id)
    expect(after.source_config.resource_spec).toMatchObject({
      ...SPEC,
      cpu: 2,
      volumes: [{ name: 'data', emptyDir: {} }],
      volume_mounts: [{ name: 'data', mountPath: '/data' }],
      annotations: { note: '07' },
    })
    await expect(page.getByRole('button', { name: 'Review changes' })).toHaveAttribute('aria-disabled', 'true')
  } finally {
    await ask('DELETE', `/v2/deployments/${id}`)
  }
})

test("two concurrent editors both see the other's change, and neither is lost", async ({ page }) => {
  const id = await deploy('spec-conflict', { cpu: 1, memory_mb: 512 })
  try {
    await open(page, id)
    await cpuOf(page).fill('2')
    await ask('PATCH', `/v2/deployments/${id}`, {
      source_config: { resource_spec: { cpu: 4, memory_mb: 512, labels: { by: 'them' } } },
    })
    await page.getByRole('button', { name: 'Review 1 change' }).click()
    const dialog = page.getByRole('dialog', { name: 'Review changes' })
    const send = dialog.getByRole('button', { name: 'Save and create revision' })
    await send.click()
    await expect(dialog).toContainText('Someone else has changed this')
    await expect(dialog.getByRole('listitem').filter({ hasText: 'labels' })).toContainText('Theirs is kept')
    await expect(dialog.getByRole('button', { name: 'Merge into draft' })).toHaveAttribute('aria-disabled', 'true')
    await dialog.getByLabel('Resolve cpu').selectOption('Keep mine')
    await dialog.getByRole('button', { name: 'Merge into draft' }).click()
    await expect(page.getByLabel('Key 1 of Labels')).toHaveValue('by')
    await page.getByRole('button', { name: 'Review 1 change' }).click()
    await send.click()
    await expect(page.getByRole('link', { name: 'View revision' })).toBeVisible({ timeout: 20_000 })
    expect((await stored(id)).source_config.resource_spec).toMatchObject({
      cpu: 2,
      memory_mb: 512,
      labels: { by: 'them' },
    })
  } finally {
    await ask('DELETE', `/v2/deployments/${id}`)
  }
})

test('a viewer can read the spec but not change it; a repository deployment says why it has none', async ({ page }) => {
  const id = await deploy('spec-viewer', SPEC)
  try {
    await signInAsViewer(page, resources(id))
    await expect(cpuOf(page)).toHaveValue('1')
    await expect(cpuOf(page)).toBeDisabled()
    await expect(page.getByRole('button', { name: 'Review changes' })).toHaveAttribute(
      'title',
      /Requires the admin role/,
    )
    await page.getByRole('tab', { name: 'YAML' }).click()
    await expect(page.getByLabel('Resource spec as YAML')).toHaveAttribute('contenteditable', 'false')

    await signIn(page, `${await deploymentPath('concierge')}/settings/resources`)
    await expect(page.getByText(/Deployments of the source Git/)).toBeVisible()
    await expect(cpuOf(page)).toBeDisabled()
  } finally {
    await ask('DELETE', `/v2/deployments/${id}`)
  }
})
