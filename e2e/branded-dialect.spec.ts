import { randomBytes } from 'node:crypto'
import { startBrandedPlatform } from './support/branded-platform'
import { expect, openPart, test } from './support/session'
import { addControlPlane } from './support/workspace'

// Repeats the main steps against a control plane that uses the brand's field names.

test('deployments work with a control plane of the branded dialect: create, search, read, compare, restore, edit', async ({
  page,
}) => {
  test.setTimeout(150_000)
  const branded = await startBrandedPlatform()
  const configs = () => branded.sent.flatMap(({ body }) => body.source_revision_config ?? [])
  try {
    const name = `branded-${randomBytes(4).toString('hex')}`
    const slug = await addControlPlane(page, branded)
    await page.goto(`/${slug}/deployments?name_contains=conci`)
    await expect(page.getByRole('row', { name: /concierge/ })).toContainText('Healthy')

    await page.getByRole('link', { name: 'New deployment' }).click()
    const field = (label: string) =>
      page.getByLabel(label, { exact: true }).and(page.locator('input, select, textarea'))
    await field('Name').fill(name)
    await field('Repository').selectOption({ label: 'local/samples' })
    await expect(field('Branch or tag')).toHaveValue('main')
    await field('Graph config').fill('graph.json')
    await page.getByRole('checkbox', { name: 'Build on push' }).uncheck()
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Create deployment' }).click()
    await page.waitForURL(/\/revisions\/[0-9a-f-]{36}$/)
    expect(configs()).toEqual([{ repo_ref: 'main', langgraph_config_path: 'graph.json' }])
    const about = page.getByRole('complementary', { name: 'Details' })
    await expect(about).toContainText('Graph configgraph.json')
    await expect(page.getByRole('main').getByText('active', { exact: true })).toBeVisible({ timeout: 60_000 })

    await page.goto(`/${slug}/deployments`)
    await page.getByLabel('Search by name').fill(name)
    await expect(page.getByRole('table', { name: 'Deployments' }).locator('tbody tr')).toHaveCount(1)
    await page.getByRole('link', { name }).click()
    await expect(page.getByText('Graph configgraph.json')).toBeVisible()

    const parts = page.getByRole('navigation', { name: 'Deployment sections' })
    await openPart(page, 'Settings')
    await expect(field('Graph config')).toHaveValue('graph.json')
    await field('Graph config').fill('./graph.json')
    await page.getByRole('button', { name: 'Review 1 change' }).click()
    await page.getByRole('button', { name: 'Save and create revision' }).click()
    await page.getByRole('link', { name: 'View revision' }).click()
    expect(configs().at(-1)).toEqual({ langgraph_config_path: './graph.json' })
    await expect(page.getByRole('main').getByText('active', { exact: true })).toBeVisible({ timeout: 60_000 })

    await page.getByRole('link', { name: 'All revisions' }).click()
    const boxes = page.getByRole('checkbox', { name: /^Compare revision/ })
    await expect(boxes).toHaveCount(2)
    for (const box of await boxes.all()) await box.check()
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await expect(page.getByRole('row', { name: /Graph config/ })).toContainText('changed')
    await parts.getByRole('link', { name: 'Revisions' }).click()
    await page.getByRole('table', { name: 'Revisions' }).locator('tbody tr').nth(1).getByRole('link').click()
    await page.getByRole('button', { name: 'New revision from these settings…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create revision' }).click()
    await expect.poll(() => configs().at(-1)).toEqual({ repo_ref: 'main', langgraph_config_path: 'graph.json' })

    await openPart(page, 'Settings')
    await page.getByRole('link', { name: 'Danger' }).click()
    await page.getByRole('button', { name: 'Delete deployment' }).click()
    await page.getByLabel(`Type ${name} to confirm`).fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete deployment' }).click()
    await expect(page.getByText(`${name} is being deleted.`)).toBeVisible()
  } finally {
    await branded.stop()
  }
})
