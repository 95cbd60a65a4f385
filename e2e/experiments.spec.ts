import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { countInteractions } from './support/interactions'
import { agentOf, ask } from './support/platform'
import { expect, expectAccessible, signIn, test } from './support/session'

test.beforeEach(() => test.setTimeout(150_000)) // several runs of samples

test('two versions are compared on one input in three interactions; ratings and exports stay', async ({ page }) => {
  const { id, ask } = await agentOf('concierge')
  const made = await ask('POST', '/assistants', { graph_id: 'chat', name: 'Versions', context: { delay_ms: 0 } })
  await ask('PATCH', `/assistants/${made.assistant_id}`, { context: { delay_ms: 1 } })
  await signIn(page, `/local/deployments/${id}/assistants/${made.assistant_id}`)
  const interactions = await countInteractions(page)
  await page.getByRole('link', { name: 'Experiment', exact: true }).click()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused()
  await page.keyboard.type('What is 6 * 7?')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/local\/experiments\/[0-9a-f-]{36}$/)
  expect(interactions()).toBe(3)
  const results = page.getByRole('region', { name: 'Results' })
  await expect(page.getByText('2 of 2 runs done')).toBeVisible({ timeout: 60_000 })
  await expect(results.getByRole('columnheader')).toHaveText([
    /Input/,
    /Versions v1 on concierge.*revision [0-9a-f]{8}/,
    /Versions v2 on concierge.*revision [0-9a-f]{8}/,
  ])
  await expect(results.getByText('42', { exact: false }).first()).toBeVisible()
  await expect(page.locator('main')).not.toContainText(made.assistant_id)
  await expectAccessible(page)

  await results.getByRole('button', { name: 'Good answer' }).first().click()
  await expect(results.getByText(/^Rating saved/)).toBeVisible()
  await results.getByLabel('Note').fill('short and right')
  await results.getByLabel('Note').blur()
  await expect(results.getByText(/^Note saved/)).toBeVisible()
  await page.reload()
  await expect(results.getByLabel('Note')).toHaveValue('short and right')
  await expect(results.getByRole('button', { name: 'Good answer', pressed: true })).toHaveCount(1)
  await page.getByLabel('Differences from').selectOption({ label: 'Versions v1 on concierge' })
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/^experiment-.*\.csv$/)
})

test('several inputs run on two assistants with checks, are saved by name, and run again', async ({ page }) => {
  const { id } = await agentOf('concierge')
  const name = `Sums ${Date.now()}`
  await signIn(page, `/local/experiments/new?deployment=${id}`)
  await expect(page.getByText('Only the revision that serves can run.')).toBeVisible()
  await page.getByLabel('Column 1: assistant').selectOption({ label: 'chat (default)' })
  await page.getByLabel('Column 2: assistant').selectOption({ label: 'approval (default)' })
  await page.getByRole('tab', { name: 'JSON Lines' }).click()
  await page.getByLabel('JSON Lines').last().fill('"What is 2 * 3?"\nno json')
  await page.getByRole('button', { name: /^Start/ }).click()
  await expect(page.getByText('Line 2 is not JSON.')).toBeVisible()
  await page.getByLabel('JSON Lines').last().fill('"What is 2 * 3?"\n"What is 2 * 5?"')
  await page.getByLabel('Name of the input set').fill(name)
  await page.getByRole('button', { name: 'Save inputs' }).click()
  await expect(page.getByRole('button', { name: 'Replace inputs' })).toBeVisible()
  await page.getByRole('button', { name: 'Add check' }).click()
  await page.getByLabel('Value of check 1').fill('(')
  await page.getByLabel('Check 1', { exact: true }).selectOption({ label: 'Output matches' })
  await page.getByRole('button', { name: 'Start 4 runs' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'not a regex' }).first()).toBeVisible()
  await page.getByLabel('Value of check 1').fill('\\b6\\b')
  await page.getByRole('button', { name: 'Start 4 runs' }).click()
  await page.waitForURL(/\/local\/experiments\/[0-9a-f-]{36}$/)
  // Leaving the page loses nothing.
  await page.goto('/local/experiments')
  await page.getByRole('table', { name: 'Experiments' }).locator('tr[data-key]').first().getByRole('link').click()
  await expect(page.getByText('4 of 4 runs done')).toBeVisible({ timeout: 60_000 })
  const results = page.getByRole('region', { name: 'Results' })
  await expect(results.getByRole('columnheader').nth(1)).toContainText('1 of 2 passed')
  await expect(results.getByText('Needs input').first()).toBeVisible()
  await page.getByRole('link', { name: 'Run again' }).click()
  await expect(page.getByLabel('JSON Lines').last()).toHaveValue('"What is 2 * 3?"\n"What is 2 * 5?"')
  await expect(page.getByLabel('Value of check 1')).toHaveValue('\\b6\\b')
})

test('an assistant is compared with itself under other options, which the results and Run again show', async ({
  page,
}) => {
  const { id } = await agentOf('concierge')
  await signIn(page, `/local/experiments/new?deployment=${id}`)
  for (const column of [1, 2])
    await page.getByLabel(`Column ${column}: assistant`).selectOption({ label: 'chat (default)' })
  await expect(page.getByText('Two columns are the same.')).toBeVisible()
  await page.getByRole('button', { name: 'Column 2: advanced' }).click()
  const options = page.getByRole('region', { name: 'Column 2: options' })
  await options.getByLabel('Column name').fill('Quick')
  await options.getByText('Context for this run').click()
  await options.getByRole('textbox', { name: 'delay_ms' }).fill('1')
  await options.getByText('Breakpoints, limits, metadata').click()
  await options.getByLabel('Recursion limit').fill('30')
  await expect(page.getByText('Two columns are the same.')).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Message' }).fill('What is 6 * 9?')
  await page.getByRole('button', { name: 'Start 2 runs' }).click()
  await page.waitForURL(/\/local\/experiments\/[0-9a-f-]{36}$/)
  await expect(page.getByText('2 of 2 runs done')).toBeVisible({ timeout: 60_000 })
  const head = page.getByRole('region', { name: 'Results' }).getByRole('columnheader')
  await expect(head.nth(1)).toHaveText(
    /^chat \(default\) on concierge.*context\.delay_msnot set.*Recursion limitnot set$/,
  )
  await expect(head.nth(2)).toHaveText(/^Quickchat \(default\) on concierge.*context\.delay_ms1.*Recursion limit30$/)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Run again' }).click()
  await page.getByRole('button', { name: 'Column 2: advanced, 3 set' }).click()
  await expect(options.getByLabel('Column name')).toHaveValue('Quick')
  await expect(options.getByRole('textbox', { name: 'delay_ms' })).toHaveValue('1')
  await expect(options.getByLabel('Recursion limit')).toHaveValue('30')
})

/** A deployment whose two revisions answer differently. The second one serves. */
async function makeTwoRevisions() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-e2e-experiment-'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', ...args], { cwd: folder })
  const commit = (word: string) => {
    writeFileSync(path.join(folder, 'graph.json'), JSON.stringify({ graphs: { talk: './graph.mjs:graph' } }))
    writeFileSync(
      path.join(folder, 'graph.mjs'),
      `import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('talk', ({ messages }) => ({ messages: [{ role: 'assistant', content: '${word}: ' + messages.at(-1).content }] }))
  .addEdge(START, 'talk').addEdge('talk', END).compile()
`,
    )
    git('add', '--all')
    git('commit', '--quiet', `--message=Answer with ${word}`)
  }
  git('init', '--quiet', '--initial-branch=main')
  commit('one')
  const [integration] = await ask('GET', '/v1/integrations/github/install')
  const source_revision_config = { repo_ref: 'main', graph_config_path: 'graph.json' }
  const made = await ask('POST', '/v2/deployments', {
    ...{ name: `talker-${randomBytes(4).toString('hex')}`, source: 'github', secrets: [], source_revision_config },
    source_config: { integration_id: integration.id, repo_url: folder, deployment_type: 'dev', build_on_push: false },
  })
  const id: string = made.id
  const serves = (revision: string) =>
    expect
      .poll(async () => (await ask('GET', `/v2/deployments/${id}`)).active_revision_id, { timeout: 60_000 })
      .toBe(revision)
  const first: string = made.latest_revision_id
  await serves(first)
  // A run that was not started by the console: nobody knows which revision answered it.
  const input = { messages: [{ role: 'user', content: 'Hello' }] }
  await ask('POST', `/agents/${id}/runs/wait`, { assistant_id: 'talk', input })
  commit('two')
  const second: string = (await ask('PATCH', `/v2/deployments/${id}`, { source_revision_config })).latest_revision_id
  await serves(second)
  const close = async () => {
    await ask('DELETE', `/v2/deployments/${id}`)
    rmSync(folder, { recursive: true, force: true })
  }
  return { id, first, second, serves, close }
}

test('two revisions are compared on one input: one that does not serve waits, or shows its last results', async ({
  page,
}) => {
  test.setTimeout(240_000)
  const { id, first, second, serves, close } = await makeTwoRevisions()
  await signIn(page, `/local/deployments/${id}`)
  const interactions = await countInteractions(page)
  const revisions = page.getByRole('region', { name: 'Revisions' }).getByRole('listitem')
  await revisions
    .filter({ hasText: first.slice(0, 8) })
    .getByRole('link')
    .click()
  await page.getByRole('link', { name: 'Experiment', exact: true }).click()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused()
  await expect(page.getByLabel('Column 1: revision').locator('option:checked')).toHaveText(
    new RegExp(`^${first.slice(0, 8)} · [0-9a-f]{8} Answer with one · Deployed`),
  )
  await page.keyboard.type('Hello')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/local\/experiments\/[0-9a-f-]{36}$/)
  expect(interactions()).toBe(4)
  const results = page.getByRole('region', { name: 'Results' })
  const head = results.getByRole('columnheader')
  const cell = results.getByRole('cell')
  await expect(page.getByText('1 of 2 runs done')).toBeVisible({ timeout: 60_000 })
  await expect(head.nth(1)).toContainText(
    `Runs when revision ${first.slice(0, 8)} is serving. Now it is revision ${second.slice(0, 8)}.`,
  )
  await expect(cell.nth(0)).toContainText('Waiting for its revision')
  await expect(cell.nth(1)).toContainText('two: Hello')
  for (const one of [id, first, second]) await expect(page.locator('main')).not.toContainText(one)
  await expectAccessible(page)

  await expect(head.nth(1).getByRole('link', { name: /^[0-9a-f]{8} Answer with one$/ })).toBeVisible()
  await head.nth(1).getByRole('link', { name: 'Redeploy or roll back' }).click()
  await page.getByRole('button', { name: 'Roll back to this…' }).click()
  await page.getByRole('button', { name: 'Roll back', exact: true }).click()
  await serves(first)
  await page.goBack()
  await expect(head.nth(1)).toContainText('is serving now')
  await head.nth(1).getByRole('button', { name: 'Run' }).click()
  await expect(page.getByText('2 of 2 runs done')).toBeVisible({ timeout: 60_000 })
  await expect(cell.nth(0)).toContainText('one: Hello')
  await expect(page.getByText(/not run again|revision unknown/)).toHaveCount(0)

  // The other way round: the second revision does not serve now, but has answered.
  await page.getByRole('link', { name: 'Run again' }).click()
  await expect(page.getByText(`Column 2: revision ${second.slice(0, 8)} is not serving.`)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Start runs' }).click()
  await expect(head.nth(2)).toContainText(/Results of .*, not run again/, { timeout: 60_000 })
  await expect(page.getByText('2 of 2 runs done')).toBeVisible({ timeout: 60_000 })
  await expect(cell.nth(0)).toContainText('one: Hello')
  await expect(cell.nth(1)).toContainText('two: Hello')
  await expectAccessible(page)
  await close()
})
