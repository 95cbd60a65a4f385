import type { Page } from '@playwright/test'
import { startFleet } from './support/fleet'
import { expect, test } from './support/session'
import { addControlPlane } from './support/workspace'

// The list with ten thousand deployments that change while it is paged (for its speed see `npm run bench --
// list-scale`), and a control plane with few features.

const table = (page: Page) => page.getByRole('table', { name: 'Deployments' })
const names = (page: Page) => table(page).locator('a[data-row]').allTextContents()
const elements = (page: Page) => page.locator('*').count()

/**
 * Turns the page and waits until the old rows are gone. Returns the rows at the moment of the click, since the page updates
 * while rows change, and the new rows.
 */
async function turn(page: Page, button: 'Next' | 'Previous') {
  const press = page.getByRole('button', { name: button, exact: true })
  await expect(press).toBeEnabled()
  const left = await press.evaluate((one: HTMLButtonElement) => {
    const links = [...document.querySelectorAll('a[data-row]')]
    one.click()
    return links.map((link) => link.textContent)
  })
  let now: string[] = []
  await expect
    .poll(async () => {
      now = await names(page)
      return now.length > 0 && now.filter((name) => left.includes(name))
    })
    .toEqual([])
  return { left, now }
}

test('every filter reaches the API, and paging ten thousand changing deployments skips and repeats none', async ({
  page,
}) => {
  test.setTimeout(120_000)
  const fleet = await startFleet(10_000)
  try {
    const slug = await addControlPlane(page, { url: fleet.url, key: 'key' })
    await page.goto(`/${slug}/deployments`)
    await expect.poll(() => names(page)).toEqual(fleet.names().slice(0, 20))
    await expect(table(page).getByRole('row', { name: /fleet-09995/ })).toContainText('Some status of tomorrow')
    expect(await elements(page)).toBeLessThan(2_000)
    await page.getByLabel('Rows').selectOption('50')
    await expect.poll(() => names(page)).toEqual(fleet.names().slice(0, 50))
    await expect(table(page).locator('[aria-busy=true]')).toHaveCount(0)
    expect(await elements(page)).toBeLessThan(2_200) // with 50 rows
    await page.getByLabel('Rows').selectOption('20')

    // By keyboard only, and across two pages.
    await expect.poll(async () => (await names(page)).length).toBe(20)
    await page.getByRole('heading', { name: 'Deployments' }).click()
    for (const key of ['j', 'x', 'j', 'x', 'p']) await page.keyboard.press(key)
    await expect(page.getByRole('complementary', { name: 'Peek: fleet-09998' })).toBeVisible()
    await page.keyboard.press('Escape')
    await turn(page, 'Next')
    await expect(page.getByRole('region', { name: 'Selected deployments' })).toContainText(
      '2 selected (2 on other pages)',
    )
    await page.goto(`/${slug}/deployments?offset=9960`)
    await expect.poll(() => names(page)).toEqual(fleet.names().slice(9_960, 9_980))
    await turn(page, 'Next')
    await expect.poll(() => names(page)).toEqual(fleet.names().slice(9_980))
    await expect(page.getByRole('button', { name: 'Next', exact: true })).toBeDisabled()
    expect(await elements(page)).toBeLessThan(2_000)
    // All filters at once, set in the URL (list.spec.ts adds them by hand); this deployment alone matches all.
    const one = 9_870
    const id = `00000000-0000-4000-8000-${String(one).padStart(12, '0')}`
    const filters: [label: string, parameter: string, value: string][] = [
      ['Status', 'status', 'READY'],
      ['Type', 'deployment_type', 'prod'],
      ['Rolled out by', 'remote_reconciled', 'true'],
      ['Image version', 'image_version', '0.20'],
      ['Tag values', 'tag_value_ids', '00000000-0000-4000-8000-030000000000,other'],
      ['Agent', 'agent_id', 'agent-70'],
      ['Agent environment', 'agent_environment', 'staging'],
      ['Ids', 'deployment_ids', `other,${id}`],
      ['Exact name', 'name', `fleet-0${one}`],
    ]
    const query = new URLSearchParams(filters.map(([, parameter, value]) => [parameter, value]))
    await page.goto(`/${slug}/deployments?${query}`)
    for (const [label] of filters)
      await expect(page.getByRole('button', { name: `Remove filter ${label}`, exact: true })).toBeVisible()
    await page.getByLabel('Search by name').fill('fleet-')
    await expect.poll(() => fleet.lists.at(-1)?.get('name_contains')).toBe('fleet-')
    for (const [, parameter, value] of filters) expect(fleet.lists.at(-1)?.get(parameter)).toBe(value)
    await expect.poll(() => names(page)).toEqual([`fleet-0${one}`])

    await page.goto(`/${slug}/deployments`)
    await expect.poll(async () => (await names(page)).length).toBe(20)
    const atFirst = fleet.names()
    let current = await names(page)
    const seen: string[] = []
    const gone: string[] = []
    for (let step = 0; step < 3; step++) {
      // A row above, one on this page, its last one, and one on the next page.
      const ahead = fleet.names().indexOf(current.at(-1) ?? '') + 3
      const removed = [current[4], current.at(-1), fleet.names()[ahead]].filter((name) => name !== undefined)
      gone.push(...removed)
      fleet.remove(removed)
      fleet.add(step + 2)
      const { left, now } = await turn(page, 'Next')
      seen.push(...left)
      current = now
    }
    seen.push(...current)
    expect(new Set(seen).size).toBe(seen.length)
    const passed = atFirst.slice(0, atFirst.indexOf(seen.at(-1) ?? '') + 1)
    expect(passed.filter((name) => !seen.includes(name) && !gone.includes(name))).toEqual([])

    // The page stays in place while it is open, and going back shows the same rows.
    const here = current
    const looks = fleet.lists.length
    fleet.add(7)
    await expect.poll(() => fleet.lists.length, { timeout: 30_000 }).toBeGreaterThan(looks + 1)
    expect(await names(page)).toEqual(here)
    const { now: back } = await turn(page, 'Previous')
    const [first = ''] = here
    expect(back).toEqual(fleet.names().slice(fleet.names().indexOf(first) - 20, fleet.names().indexOf(first)))
  } finally {
    await fleet.stop()
  }
})

test('without lists of revisions and logs, and with a misleading name, a deployment is shown correctly and deleted safely', async ({
  page,
}) => {
  const fleet = await startFleet(2, {
    names: { 1: `pay\u202Elortnoc ${'and so on '.repeat(28)}` },
    lacks: /\/revisions$|logs/,
  })
  try {
    const slug = await addControlPlane(page, { url: fleet.url, key: 'key' })
    await page.goto(`/${slug}/deployments`)
    const link = table(page).getByRole('link', { name: /^payRLOlortnoc/ })
    await expect(table(page).getByRole('checkbox', { name: /^Select pay\[RLO\]lortnoc/ })).toBeVisible()
    await link.click()
    await expect(page.getByRole('heading', { name: /^payRLOlortnoc/ })).toBeVisible()

    const parts = page.getByRole('navigation', { name: 'Deployment sections' })
    await parts.getByRole('link', { name: 'Revisions' }).click()
    await expect(page.getByText(/This server does not list revisions\. Only the latest/)).toBeVisible()
    const revisions = page.getByRole('table', { name: 'Revisions' })
    await expect(revisions.getByRole('row')).toHaveCount(2) // the header, and the latest and active revision
    await revisions.getByRole('link').first().click()
    await expect(page.getByText('This server has no logs endpoint')).toBeVisible()

    await page.goto(`/${slug}/deployments/00000000-0000-4000-8000-000000000001/settings/danger`)
    await page.getByRole('button', { name: 'Delete deployment' }).click()
    const dialog = page.getByRole('dialog', { name: /^Delete payRLOlortnoc/ })
    const confirm = dialog.getByRole('button', { name: 'Delete deployment' })
    const typed = dialog.getByLabel('Type 00000000 to confirm')
    await typed.fill('pay')
    await expect(confirm).toBeDisabled()
    await typed.fill('00000000')
    await confirm.click()
    await expect(page.getByText(/^pay\[RLO\]lortnoc.* is being deleted\.$/)).toBeVisible()
    await expect.poll(() => names(page)).toEqual(['fleet-00000'])
  } finally {
    await fleet.stop()
  }
})
