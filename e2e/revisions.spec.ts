import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { countInteractions } from './support/interactions'
import { ask } from './support/platform'
import { expect, expectAccessible, signIn, signInAsViewer, test } from './support/session'

const LINES = 400
const graph = `import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('talk', () => ({ messages: [] })).addEdge(START, 'talk').addEdge('talk', END).compile()
`
/** Prints like a build tool: colours, warnings and a progress bar. The slow variant outlasts the test. */
const build = (isSlow: boolean) => `
for (let step = 1; step <= ${LINES}; step++) console.log('\\u001b[32mstep ' + step + '\\u001b[0m of ${LINES}')
console.error('warning: user\\u202Egnp.exe')
${isSlow ? 'console.log("waiting for ever"); setTimeout(() => {}, 300_000)' : ''}
`

/** A deployment with its own repository. */
async function makeDeployment() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-e2e-revisions-'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', ...args], { cwd: folder })
  const commit = (isSlow = false) => {
    writeFileSync(path.join(folder, 'build.mjs'), build(isSlow))
    writeFileSync(path.join(folder, 'stamp.txt'), randomBytes(8).toString('hex'))
    git('add', '--all')
    git('commit', '--quiet', '--message=change')
  }
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(path.join(folder, 'graph.json'), JSON.stringify({ graphs: { talk: './graph.mjs:graph' } }))
  writeFileSync(path.join(folder, 'graph.mjs'), graph)
  commit()
  const [integration] = await ask('GET', '/v1/integrations/github/install')
  const name = `revised-${randomBytes(4).toString('hex')}`
  const made = await ask('POST', '/v2/deployments', {
    name,
    source: 'github',
    source_config: {
      integration_id: integration.id,
      repo_url: folder,
      deployment_type: 'dev',
      build_on_push: false,
      build_command: 'node build.mjs',
    },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
    secrets: [],
  })
  const deployed = (revision: string) =>
    expect
      .poll(async () => (await ask('GET', `/v2/deployments/${made.id}/revisions/${revision}`)).status, {
        timeout: 60_000,
      })
      .toBe('DEPLOYED')
  await deployed(made.latest_revision_id)
  return {
    id: made.id as string,
    name,
    commit,
    async revise() {
      const patch = { source_revision_config: { repo_ref: 'main' } }
      await deployed((await ask('PATCH', `/v2/deployments/${made.id}`, patch)).latest_revision_id)
    },
    async close() {
      await ask('DELETE', `/v2/deployments/${made.id}`)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const rows = (page: Page) => page.getByRole('table', { name: 'Revisions' }).locator('tbody tr')
const log = (page: Page) => page.getByRole('region', { name: 'Build log' })

test('revisions of a deployment: list, read, compare, redeploy, restore and interrupt', async ({ page }) => {
  test.setTimeout(180_000)
  const deployment = await makeDeployment()
  deployment.commit()
  await deployment.revise()

  await signIn(page, `/local/deployments/${deployment.id}`)
  const parts = page.getByRole('navigation', { name: 'Deployment sections' })
  await parts.getByRole('link', { name: 'Revisions' }).click()
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).first()).toContainText('active')
  await expect(rows(page).first()).toContainText('change') // the commit's message
  await expect(rows(page).first()).toContainText(/Test, .*build [\d.]+ m?s/)
  await expectAccessible(page)
  await page.getByLabel('Status').selectOption({ label: 'Failed' })
  await expect(page.getByText('No matching revisions')).toBeVisible()
  await page.getByRole('button', { name: 'Show all revisions' }).click()

  // The latest revision and its build log.
  await rows(page).first().getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'Revision', exact: true })).toBeVisible()
  const stages = page.getByRole('list', { name: 'Stages' })
  await expect(stages.getByRole('listitem').filter({ hasText: 'Building' })).toContainText(/\d m?s/)
  await expect(stages.getByText('(passed or skipped)')).toHaveCount(0)
  await page.getByRole('tab', { name: 'Build log' }).click()
  await expect(log(page)).toBeVisible()
  await page.getByLabel('Find in log').fill('gnp.exe') // warnings are mixed with the other lines
  await page.getByRole('button', { name: 'Next match' }).click()
  await expect(log(page)).toContainText('⟦RLO⟧')
  await expect(log(page)).not.toContainText('[32m')
  expect(await page.locator('*').count()).toBeLessThan(2_000)
  await page.getByLabel('Find in log').fill('step 17 ')
  await page.getByRole('button', { name: 'Next match' }).click()
  await expect(log(page).locator('mark')).toHaveText('step 17 ')
  await expect(page.getByText('1 of 1')).toBeVisible()
  await page.getByLabel('Filter lines by text').fill('STEP 399')
  await expect(page.getByText('1 line', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/q=STEP\+399/)
  await expectAccessible(page)
  const coming = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const file = readFileSync(await (await coming).path(), 'utf8')
  expect(file.match(/step \d+/g)).toHaveLength(LINES)

  // The log of all revisions, which a tab leads to.
  await parts.getByRole('link', { name: 'Logs' }).click()
  const whole = page.getByRole('region', { name: 'Deploy log' })
  await expect(whole.getByText(/Serving: new requests go to this revision/)).toHaveCount(2)
  await expect(page.getByText(/lines · Last 24 hours, all revisions/)).toBeVisible()
  await page.getByRole('button', { name: 'ERROR and above' }).click()
  await expect(page.getByText('No matching lines')).toBeVisible()
  await page.getByRole('button', { name: 'Show all lines' }).click()
  await page.getByRole('combobox', { name: 'Time' }).selectOption({ label: 'Last hour' })
  await expect(whole.getByText(/Serving: new requests go to this revision/)).toHaveCount(2)
  await expectAccessible(page)

  // Both in comparison.
  await parts.getByRole('link', { name: 'Revisions' }).click()
  const boxes = page.getByRole('checkbox', { name: /^Compare revision/ })
  await expect(boxes).toHaveCount(2)
  for (const box of await boxes.all()) await box.check()
  await page.getByRole('link', { name: 'Compare', exact: true }).click()
  await expect(page.getByText('1 field differs')).toBeVisible()
  await expect(page.getByRole('row', { name: /Commit/ })).toContainText('changed')
  await expect(page.getByRole('row', { name: /Build command/ })).toContainText('not recorded')
  await expectAccessible(page)

  // Rolling back makes the old revision active again, with its own build.
  await parts.getByRole('link', { name: 'Revisions' }).click()
  const old = new URL((await rows(page).nth(1).getByRole('link').getAttribute('href')) ?? '', page.url()).href
  await page.goto(old)
  await expect(page.getByRole('button', { name: 'Interrupt' })).toHaveAttribute('title', /nothing to interrupt/)
  await page.goto(`/local/deployments/${deployment.id}`)
  const interactions = await countInteractions(page)
  await parts.getByRole('link', { name: 'Revisions' }).click()
  await rows(page)
    .nth(1)
    .getByRole('button', { name: /^Roll back/ })
    .click()
  expect(interactions()).toBe(2)
  const rollBack = page.getByRole('dialog', { name: /^Roll back to revision / })
  await expect(rollBack).toContainText('No secret was changed from this console')
  await expect(rollBack).toContainText('The source is not read again.')
  await expect(rollBack).toContainText('Secrets and the resource spec are not stored in revisions')
  await expectAccessible(page)
  await rollBack.getByRole('button', { name: 'Roll back' }).dblclick()
  await expect(rollBack).toHaveCount(0)
  await page.goto(old)
  await expect(page.getByRole('main').getByText('active', { exact: true })).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('complementary', { name: 'Details' })).toContainText('redeployed it')
  await expect(page.getByRole('main').getByText('Healthy', { exact: true })).toBeVisible()

  // A restore starts a build, which here never ends.
  deployment.commit(true)
  await page.getByRole('button', { name: 'New revision from these settings…' }).click()
  const review = page.getByRole('dialog', { name: /^New revision from the settings of / })
  await expect(review).toContainText('newest commit of main')
  await expect(review.getByRole('region', { name: 'Request' })).toContainText('"repo_ref": "main"')
  await expectAccessible(page)
  await review.getByRole('button', { name: 'Create revision' }).click()
  await expect(page).not.toHaveURL(old)
  await expect(page.getByRole('list', { name: 'Stages' }).getByText('Building', { exact: true })).toBeVisible()
  await expect(log(page)).toContainText('waiting for ever', { timeout: 30_000 })
  await expect(page.getByRole('complementary', { name: 'Details' })).toContainText('admin@example.com')
  await page.getByRole('button', { name: 'Interrupt' }).click()
  await expect(page.getByRole('dialog')).toContainText('stuck revision')
  await page.getByRole('dialog').getByRole('button', { name: 'Interrupt' }).click()
  await expect(page.getByRole('list', { name: 'Stages' })).toContainText('Interrupted', { timeout: 20_000 })

  // A viewer sees everything, with actions disabled and the reason given.
  await signInAsViewer(page, old)
  for (const name of ['Redeploy', 'New revision from these settings…', 'Interrupt']) {
    const button = page.getByRole('button', { name })
    await expect(button).toHaveAttribute('aria-disabled', 'true')
    await expect(button).toHaveAttribute('title', /admin/)
  }
  await page.getByRole('tab', { name: 'Build log' }).click()
  await expect(log(page)).toContainText('step')
  await deployment.close()
})
