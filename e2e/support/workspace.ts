import { randomBytes } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { platform } from './platform'
import { signIn } from './session'

type ControlPlane = { url: string; key: string }
type AgentServer = { name: string; url: string; key?: string }

/** Creates a workspace as an administrator in the settings and opens it. Returns its slug. */
async function addWorkspace(page: Page, kind: string, fields: Record<string, string>): Promise<string> {
  const slug = `e2e-${randomBytes(4).toString('hex')}` // names cannot be reused
  await signIn(page, '/local/settings')
  await page.getByRole('button', { name: 'Add workspace' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add workspace' })
  await dialog.getByLabel('Kind').selectOption({ label: kind })
  for (const [label, value] of Object.entries({ Slug: slug, Name: slug, ...fields }))
    await dialog.getByLabel(label, { exact: true }).fill(value)
  await dialog.getByRole('button', { name: 'Add workspace' }).click()
  await page.waitForURL(`/${slug}/settings`)
  return slug
}

export const addControlPlane = (page: Page, { url, key }: ControlPlane): Promise<string> =>
  addWorkspace(page, 'Control plane', { 'Control plane URL': url, 'API key': key })

/** A workspace with one agent server; opens that server's page. */
export async function addAgentServer(page: Page, { name, url, key }: AgentServer): Promise<string> {
  const slug = await addWorkspace(page, 'Agent servers without a control plane', {})
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('URL', { exact: true }).fill(url)
  if (key) await page.getByLabel('API key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Add server' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: url })).toBeVisible()
  await page.getByRole('link', { name: 'Deployments', exact: true }).click()
  await page.getByRole('link', { name }).click()
  await expect(page.getByRole('heading', { name })).toBeVisible()
  return slug
}

/** The URL and key of a sample deployment's agent server. */
export async function agentServer(name: string): Promise<ControlPlane> {
  const { url, api_key: key } = platform()
  const response = await fetch(`${url}/v2/deployments?name_contains=${name}`, { headers: { 'x-api-key': key } })
  const { resources } = (await response.json()) as { resources: { source_config: { custom_url: string } }[] }
  return { url: resources[0]?.source_config.custom_url ?? '', key }
}
