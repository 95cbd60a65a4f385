import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { ask, platform } from './support/platform'
import { expect, expectAccessible, signIn, signInAsViewer, test } from './support/session'

/** It is never asked while the listener has nothing to do. */
const KUBECONFIG = JSON.stringify({
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'one', users: [{ name: 'one', user: {} }] },
  clusters: [{ name: 'one', cluster: { server: 'http://127.0.0.1:9' } }],
  contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
})

function startListener(token: string): ChildProcess {
  const kubeconfig = path.resolve('test-results/listener-kubeconfig.json')
  writeFileSync(kubeconfig, KUBECONFIG)
  return spawn(process.execPath, ['.build/listener.mjs'], {
    env: {
      ...process.env,
      KUBECONFIG: kubeconfig,
      PILOTHOUSE_LISTENER_URL: platform().url,
      PILOTHOUSE_LISTENER_TOKEN: token,
    },
    stdio: 'ignore',
  })
}

const rowOf = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Listeners' }).getByRole('row').filter({ hasText: name })
/** The page reads the list every ten seconds, and a silent listener is away after 40. */
const expectState = (page: Page, name: string, state: string) =>
  expect(rowOf(page, name)).toContainText(state, { timeout: 70_000 })
const open = (page: Page, name: string) => rowOf(page, name).getByRole('link', { name, exact: true }).click()

test('a cluster joins by a listener, is away when that stops, and leaves', async ({ page, browser }) => {
  test.setTimeout(240_000)
  const name = `cluster-${randomBytes(3).toString('hex')}`
  const deployment = `waits-${name}`
  const running: ChildProcess[] = []
  try {
    await signIn(page, '/local/settings')
    await page.getByRole('link', { name: 'Open listeners' }).click()
    await page.getByRole('button', { name: 'Create listener' }).click()
    const form = page.getByRole('dialog', { name: 'Create listener' })
    await form.getByLabel('Name', { exact: true }).fill('this-machine')
    await form.getByRole('button', { name: 'Create listener' }).click()
    await expect(form.getByText('Another listener has this name.')).toBeVisible()
    await form.getByLabel('Name', { exact: true }).fill(name)
    await form.getByLabel('Namespaces', { exact: true }).fill('agents, more')
    await form.getByRole('button', { name: 'Create listener' }).click()
    const told = page.getByRole('dialog', { name: `Token of ${name}` })
    const token = (await told.locator('.select-all').textContent()) ?? ''
    expect(token).toMatch(/^phl_/)
    await expect(told.getByLabel(/^Address of the platform/)).toHaveValue(platform().url)
    await told.getByLabel(/^Address of the platform/).fill('https://platform.example.com')
    await expect(told.getByRole('region', { name: /Helm/ })).toContainText("url='https://platform.example.com'")
    await expectAccessible(page)
    await told.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    await expectState(page, name, 'Never connected')
    expect(await page.content()).not.toContain(token)

    const first = startListener(token)
    running.push(first)
    await expectState(page, name, 'Connected')
    await open(page, name)
    const sheet = page.getByRole('dialog', { name })
    await expect(sheet.getByText('The listener and its cluster answer.')).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(page).not.toHaveURL(/listener=/)

    first.kill()
    await expectState(page, name, 'Away')
    const { resources } = await ask('GET', '/v2/listeners?limit=100')
    const { id } = resources.find((one: { compute_id: string }) => one.compute_id === name)
    const made = await ask('POST', '/v2/deployments', {
      name: deployment,
      source: 'external_docker',
      source_config: { listener_id: id },
      source_revision_config: { image_uri: 'registry.example.com/agent:1' },
      secrets: [],
    })
    await expect(page.getByRole('status').filter({ hasText: 'for a cluster that is away' })).toContainText(deployment, {
      timeout: 30_000,
    })
    await page.goto(`/local/deployments/${made.id}`)
    await page.getByRole('link', { name: 'Open listener', exact: true }).click()
    await expect(sheet.getByText('its roll-out waits')).toBeVisible()
    await expect(sheet.getByRole('button', { name: 'Delete listener' })).toBeDisabled()
    await ask('DELETE', `/v2/deployments/${made.id}`)
    await ask('DELETE', `/v2/deployments/${made.id}?force=true`)
    await expect(sheet.getByText('New deployments of images can choose it.')).toBeVisible({ timeout: 30_000 })

    await sheet.getByRole('button', { name: 'Edit namespaces' }).click()
    await page.getByLabel('Namespaces', { exact: true }).fill('agents, third')
    await page.getByRole('button', { name: 'Save namespaces' }).click()
    await expect(sheet.getByText('agents, third')).toBeVisible()

    const second = startListener(token)
    running.push(second)
    const ended = once(second, 'exit')
    await expect(sheet.getByText('Connected', { exact: true })).toBeVisible({ timeout: 30_000 })
    await sheet.getByRole('button', { name: 'Revoke token' }).click()
    await page
      .getByRole('dialog', { name: /^Revoke the token/ })
      .getByRole('button', { name: 'Revoke token' })
      .click()
    await expect(sheet.getByText('Token revoked', { exact: true })).toBeVisible()
    expect(await ended).toEqual([1, null])

    const theirs = await browser.newContext()
    const viewer = await theirs.newPage()
    await signInAsViewer(viewer, '/local/settings/listeners')
    await expectState(viewer, name, 'Token revoked')
    await expect(viewer.getByRole('button', { name: 'Create listener' })).toBeDisabled()
    await theirs.close()

    await sheet.getByRole('button', { name: 'Delete listener' }).click()
    await page
      .getByRole('dialog', { name: `Delete ${name}?` })
      .getByRole('button', { name: 'Delete listener' })
      .click()
    await expect(page.getByText(`Deleted ${name}`)).toBeVisible()
    await expect(sheet).toHaveCount(0)
    await expect(rowOf(page, 'this-machine')).toBeVisible()
    await expect(rowOf(page, name)).toHaveCount(0)
    // The sheet was opened from another page, so no row had the focus before.
    await expect(page.getByRole('main')).toBeFocused()
    await page.goto('/local/audit')
    await expect(page.getByText(`revoked the token of listener ${name}`)).toBeVisible()
    await expect(page.getByText(`deleted listener ${name}`)).toBeVisible()
    expect(readFileSync('test-results/server.log', 'utf8')).not.toContain(token)
  } finally {
    for (const one of running) one.kill()
  }
})
