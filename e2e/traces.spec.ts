import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ask, platform } from './support/platform'
import { expect, expectAccessible, openDeployment, signIn, startChat, startTalk, test } from './support/session'

const concierge = async () => (await ask('GET', '/v2/deployments?name_contains=concierge')).resources[0]

/** A failed trace with several runs, one of which names a parent that was never logged. */
async function logFailure(name: string, steps = 400, project = 'concierge') {
  const [id, model] = [randomUUID(), randomUUID()]
  const start = Date.now() - 60_000
  const order = (ms: number, run: string) =>
    `${new Date(ms).toISOString().replace(/[-:.]/g, '').replace('Z', '000Z')}${run}`
  const run = (index: number, fields: object) => {
    const own = index === 0 ? id : randomUUID()
    const at = start + index
    const place = index === 0 ? order(at, own) : `${order(start, id)}.${order(at, own)}`
    return {
      ...{ id: own, run_type: 'chain', start_time: new Date(at).toISOString(), end_time: at + 500, trace_id: id },
      ...{ dotted_order: place, session_name: project, inputs: {}, outputs: {} },
      ...(index > 0 && { parent_run_id: id }),
      ...fields,
    }
  }
  const blocks = [{ type: 'text', text: 'The rest is read.' }, { type: 'hologram' }]
  const messages = [...Array.from({ length: 30 }, (_, n) => ({ role: 'user', content: `turn ${n}` }))]
  const tool = { type: 'tool_call', id: 'call_1', name: 'look_up', args: { city: 'Lisbon' } }
  await ask('POST', '/runs/batch', {
    post: [
      run(0, { name, error: 'The harbour is closed.' }),
      ...Array.from({ length: steps }, (_, n) => run(n + 1, { name: `step ${n}` })),
      run(steps + 1, { name: 'lost', parent_run_id: randomUUID() }),
      run(steps + 2, {
        ...{ id: model, name: 'odd model', run_type: 'llm', error: 'Refused.' },
        inputs: { messages: [...messages, { role: 'user', content: blocks }] },
        outputs: { messages: [{ role: 'assistant', content: [tool] }] },
      }),
    ],
  })
  const { url, api_key } = platform()
  const beside = new FormData()
  const picture = Buffer.from(PIXEL, 'base64')
  beside.append(`attachment.${model}.harbour`, new Blob([picture], { type: 'image/png' }))
  beside.append(`attachment.${model}.page`, new Blob(['<script>alert(1)</script>'], { type: 'text/html' }))
  const said = { run_id: model, trace_id: id, key: 'helpful', score: 0.5, value: 'so so', comment: 'Which harbour?' }
  beside.append(`feedback.${randomUUID()}`, new Blob([JSON.stringify(said)], { type: 'application/json' }))
  const response = await fetch(`${url}/runs/multipart`, {
    method: 'POST',
    headers: { 'x-api-key': api_key },
    body: beside,
  })
  expect(response.status).toBe(202)
  return id
}
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('a chat run is in its project two seconds after its end, and its page links to the trace and back', async ({
  page,
}) => {
  const { tracing_project_id: session } = await concierge()
  await startTalk(page, 1, 'Where is the harbour?')
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  const recording = page.url()
  const finished = Date.now()
  await expect(async () => {
    const { runs } = await ask('POST', '/runs/query', { session: [session], is_root: true, limit: 20 })
    // Other tests chat with the same deployment meanwhile.
    const own = runs.find((one: { inputs_preview: string }) => one.inputs_preview === 'Where is the harbour?')
    expect(own).toMatchObject({ status: 'success', model: 'scripted-1' })
    expect(own.total_tokens).toBeGreaterThan(0)
    expect(own.first_token).toBeGreaterThan(0)
  }).toPass({ timeout: 2_000, intervals: [100] })
  test.info().annotations.push({ type: 'in its project after', description: `${Date.now() - finished} ms` })

  await page.getByRole('link', { name: 'Open trace' }).click()
  const tree = page.getByRole('tree', { name: 'Runs of the trace' })
  await tree.getByRole('treeitem', { name: /^ScriptedModel, llm/ }).click()
  const inspector = page.getByRole('region', { name: 'Run', exact: true })
  await expect(inspector.getByText('scripted-1', { exact: true })).toBeVisible()
  await expect(inspector.getByText('scripted', { exact: true })).toBeVisible()
  await expect(inspector.getByText(/\d+ \(\d+ in, \d+ out\)/)).toBeVisible()
  await expect(inspector.getByText('First token')).toBeVisible()
  await expect(inspector.getByRole('article', { name: 'Human message' })).toContainText('Where is the harbour?')
  await expect(inspector.getByRole('article', { name: 'AI message' })).toContainText('calm concierge')
  const trace = page.url()

  // A new price applies to earlier runs, too.
  await page.goto('/local/settings/prices')
  const shipped = page.getByRole('table', { name: 'Shipped prices' })
  await expect(shipped.getByRole('row')).toHaveCount(51)
  await page.getByRole('searchbox', { name: 'Search by model or provider' }).fill('claude-opus')
  await expect(shipped.getByRole('row', { name: /gemini/ })).toHaveCount(0)
  await expect(shipped.getByRole('row', { name: /claude-opus/ }).first()).toBeVisible()
  await page.getByRole('button', { name: 'Paste CSV' }).click()
  await page.getByRole('textbox', { name: 'CSV' }).fill('model,input,output\nscripted-*,1000,2000\nbroken,much,2')
  await expect(page.getByText('Line 3 skipped: the input price is not a number.')).toBeVisible()
  await page.getByRole('button', { name: 'Save prices' }).click()
  await expect(
    page.getByRole('table', { name: 'Model prices' }).getByRole('row', { name: /scripted-\*/ }),
  ).toBeVisible()
  await expectAccessible(page)
  await page.goto(trace)
  await expect(inspector.getByText(/^≈\$\d/)).toBeVisible()
  await expect(inspector.getByText('estimated from this workspace’s price of scripted-*')).toBeVisible()
  await page.getByRole('link', { name: 'Recording of the run' }).click()
  await page.waitForURL(recording)

  // Found by part of the model and by its estimated cost, and grouped.
  await page.goto('/local/traces?model=SCRIPTED&cost=>0.0000001&group=model')
  await expect(page.getByRole('table', { name: 'Traces' }).getByRole('row').nth(1)).toBeVisible()
  const groups = page.getByRole('table', { name: 'Runs by model' })
  await expect(groups.getByRole('row', { name: /^scripted-1 .*≈\$/ })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('combobox', { name: 'Filter by' }).selectOption('provider')
  await expect(page.locator('datalist option[value="scripted"]')).toHaveCount(1)

  // From the thread's state to its traces, and from the trace to the thread.
  await page.goto(trace)
  await page.getByRole('link', { name: 'Thread', exact: true }).click()
  await page.waitForURL(/\/threads\/[0-9a-f-]{36}$/)
  await page.getByRole('link', { name: 'Traces of this thread' }).click()
  await page.waitForURL(/traces\?.*thread=/)
  const listed = page.getByRole('table', { name: 'Traces' })
  await expect(listed.getByRole('row')).toHaveCount(2)
  await expect(listed.getByRole('link').first()).toHaveAttribute('href', new RegExp(new URL(trace).pathname))

  await page.goto(trace)
  await page.getByRole('link', { name: 'Compare' }).click()
  await page.waitForURL(/compare\?a=/)
  const other = await logFailure(`Small ${Date.now()}`, 2)
  await page.reload()
  await page.getByRole('combobox', { name: 'Trace B' }).selectOption(other)
  const compared = page.getByRole('table', { name: 'Compared runs' })
  await expect(compared.getByRole('row', { name: /only in B/ }).first()).toBeVisible()
  await expectAccessible(page)
})

test('the project is filtered, the trace is searched by keyboard, and its anomalies are shown in place', async ({
  page,
}) => {
  const { id } = await concierge()
  const name = `Ferry ${Date.now()}`
  await logFailure(name)
  await signIn(page, `/local/deployments/${id}/traces`)
  const table = page.getByRole('table', { name: 'Traces' })
  await expect(table.getByRole('row').nth(1)).toBeVisible()
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('combobox', { name: 'Status' }).selectOption('error')
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('combobox', { name: 'Filter by' }).selectOption('name')
  await page.getByLabel('Name', { exact: true }).fill(name) // a text field, or a list of suggestions
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL(/status=error.*name=Ferry/)
  await expect(table.getByRole('row')).toHaveCount(2)
  await expect(page.getByRole('img', { name: 'Runs: 1, 1 failed' })).toBeVisible()
  await page.getByRole('button', { name: 'Show as table' }).click()
  await expect(page.getByRole('table', { name: 'Totals over time' }).getByRole('row')).toHaveCount(2)
  await expectAccessible(page)
  // On a phone the list comes first.
  const whole = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByRole('img', { name: 'Runs: 1, 1 failed' })).toBeHidden()
  await expect(table.getByRole('link', { name })).toBeInViewport()
  const overflow = await table.evaluate((one) => {
    for (const time of one.querySelectorAll('time')) time.textContent = '50 min. ago' // takes the most room
    return one.getBoundingClientRect().width - (one.parentElement?.clientWidth ?? 0)
  })
  expect(overflow).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Show charts' }).click()
  await expect(page.getByRole('img', { name: 'Runs: 1, 1 failed' })).toBeVisible()
  if (whole) await page.setViewportSize(whole)

  await table.getByRole('link', { name }).click()
  const tree = page.getByRole('tree', { name: 'Runs of the trace' })
  await expect(tree.getByRole('treeitem', { name: new RegExp(`^${name}, chain, Failed`) })).toBeVisible()
  await expect(page.getByText(/^403, 2 failed/)).toBeVisible() // everything has loaded
  const details = page.locator('summary').filter({ hasText: 'Details' }).first()
  await details.press('Enter')
  await expect(page.getByText(/^Took: .* so the two differ\.$/)).toBeVisible()
  await details.press('Enter')
  await tree.focus()
  await page.keyboard.press('End')
  await expect(tree.getByRole('treeitem', { selected: true })).toHaveAccessibleName(/^lost,.*was not logged/)
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowLeft')
  await expect(tree.getByRole('treeitem', { name: /^step/ })).toHaveCount(0)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('e')
  await expect(tree.getByRole('treeitem', { selected: true })).toHaveAccessibleName(/^odd model/)
  const inspector = page.getByRole('region', { name: 'Run', exact: true })
  await expect(inspector.getByText('1 part does not match the format')).toBeVisible()
  await expect(inspector.getByText('The rest is read.')).toBeVisible()
  await expect(inspector.getByText('turn 0', { exact: true })).toHaveCount(0)
  await inspector.getByRole('button', { name: /Show earlier messages/ }).click()
  await expect(inspector.getByText('turn 0', { exact: true })).toBeVisible()
  await expect(inspector.getByRole('group', { name: 'Tool call look_up' })).toContainText('Lisbon')
  await expect(inspector.getByRole('table', { name: 'Feedback' })).toContainText('helpful0.5so soWhich harbour?')
  await expect(inspector.getByRole('img', { name: 'Picture in this message' })).toHaveCount(0)
  await inspector.getByRole('button', { name: 'Show the attachment harbour' }).click()
  await expect(inspector.getByRole('img', { name: 'Picture in this message' })).toBeVisible()
  await inspector.getByRole('button', { name: 'Show the attachment page' }).click()
  const attached = page.waitForEvent('download')
  await inspector.getByRole('button', { name: 'Save', exact: true }).click()
  expect(readFileSync(await (await attached).path(), 'utf8')).toBe('<script>alert(1)</script>')
  await expectAccessible(page)
  await page.getByLabel('Search name, model, tag or error').fill('step 399')
  await expect(page.getByText('1 found')).toBeVisible()
  const file = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const saved = JSON.parse(readFileSync(await (await file).path(), 'utf8'))
  expect(saved.runs).toHaveLength(403)
})

test('on a small screen a run of a trace is a sheet over the tree, and closing it leads back to its row', async ({
  page,
}) => {
  const { id } = await concierge()
  const trace = await logFailure(`Ferry ${Date.now()}`, 80)
  await signIn(page, `/local/deployments/${id}/traces/${trace}`)
  await page.setViewportSize({ width: 390, height: 844 })
  const tree = page.getByRole('tree', { name: 'Runs of the trace' })
  const selected = tree.getByRole('treeitem', { selected: true })
  const sheet = page.getByRole('region', { name: 'Run', exact: true })
  const step = (number: number) => new RegExp(`^step ${number},`)
  await expect(page.getByText(/^83, 2 failed/)).toBeVisible() // everything has loaded
  await expect(sheet).toHaveCount(0)
  // The tree scrolls with the page, not in it.
  await expect.poll(() => tree.evaluate((box) => box.scrollHeight - box.clientHeight)).toBe(0)
  await tree.getByRole('treeitem', { name: step(20) }).click()
  await expect(sheet).toBeFocused()
  await expect(sheet.getByRole('heading', { name: 'step 20' })).toBeVisible()
  await expect(selected).toHaveAccessibleName(step(20))
  const bottom = (await selected.boundingBox())?.y ?? Number.POSITIVE_INFINITY
  expect(bottom).toBeLessThan((await sheet.boundingBox())?.y ?? 0)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
  await expect(tree).toBeFocused()
  await expect(selected).toHaveAccessibleName(step(20))

  await page.keyboard.press('ArrowDown')
  await expect(selected).toHaveAccessibleName(step(21))
  await expect(sheet).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/[?&]run=/)
  await expect(sheet).toBeFocused()
  await page.goBack()
  await expect(sheet).toHaveCount(0)
  await expect(tree).toBeFocused()
  await expect(selected).toHaveAccessibleName(step(21))
  await page.keyboard.press('End')
  await expect(selected).toHaveAccessibleName(/^lost,/)
  await expect(selected).toBeInViewport({ ratio: 1 })
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await sheet.getByRole('button', { name: 'Close' }).click()
  await expect(tree).toBeFocused()
  await expect(selected).toBeInViewport({ ratio: 1 })
})

test('a project of an own name has a page, and its traces open below it and not below a deployment', async ({
  page,
}) => {
  const { id } = await concierge()
  const project = `harbour ${Date.now()}`
  await ask('POST', '/sessions', { name: project, description: 'Ferries of the north shore' })
  const trace = await logFailure('Own ferry', 1, project)
  await signIn(page, '/local/traces')
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('combobox', { name: 'Project' }).selectOption({ label: project })
  const table = page.getByRole('table', { name: 'Traces' })
  await expect(table.getByRole('row')).toHaveCount(2)
  await expect(table.getByRole('row').nth(1)).toContainText(project)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Projects' }).click()
  const projects = page.getByRole('table', { name: 'Projects' })
  const search = page.getByRole('searchbox', { name: 'Search projects' })
  await search.fill('concierge')
  await expect(projects.getByRole('row', { name: /^concierge Deployment/ })).toBeVisible()
  await expectAccessible(page)
  await search.fill(project)
  await projects.getByRole('link', { name: project }).click()
  await expect(page.getByRole('heading', { name: project })).toBeVisible()
  await expect(page.getByText('Ferries of the north shore')).toBeVisible()
  await table.getByRole('link', { name: 'Own ferry' }).click()
  await page.waitForURL(new RegExp(`/local/traces/projects/[0-9a-f-]{36}/${trace}`))
  await expect(page.getByRole('tree', { name: 'Runs of the trace' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Thread', exact: true })).toHaveCount(0)

  await page.goto(`/local/deployments/${id}/traces/${trace}`)
  await page.waitForURL(new RegExp(`/local/traces/projects/[0-9a-f-]{36}/${trace}`))
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText(project)
})

test('the checker reads pasted text in the browser only, and reports errors by path', async ({ page }) => {
  await signIn(page, '/local/traces/check')
  await page.getByRole('combobox', { name: 'Example' }).selectOption({ index: 1 })
  await expect(page.getByText(/No problems found/)).toBeVisible()
  await expect(page.getByRole('article', { name: 'AI message' })).toContainText('Hello')
  const asked: string[] = []
  page.on('request', (request) => {
    // The shell may connect for the inbox at any time.
    const isLive = request.url().endsWith('/api/live') && !request.postData()?.includes('never.png')
    if (!isLive) asked.push(request.url())
  })
  const content = [
    { type: 'text' },
    { type: 'image', url: 'https://example.com/never.png' },
    { type: 'text', text: 'Ok' },
  ]
  await page
    .getByLabel('Logged run as JSON')
    .fill(JSON.stringify({ run_type: 'model', inputs: { messages: [{ role: 'user', content }] } }))
  const wrong = page.getByRole('list', { name: 'Problems' })
  await expect(wrong).toContainText('run_type')
  await expect(wrong).toContainText('inputs.messages[0].content[0]')
  await expect(page.getByRole('article', { name: 'Human message' })).toContainText('https://example.com/never.png')
  await expectAccessible(page)
  expect(asked.filter((url) => url.includes('example.com') || url.includes('/api/'))).toEqual([])
})

test('the steps of a run have the model calls of its trace, and lead to them by keyboard', async ({ page }) => {
  await openDeployment(page, 'concierge')
  await startChat(page, 'What is 6 * 7?')
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  await page.getByRole('tab', { name: 'Steps' }).click()
  const steps = page.getByRole('tree', { name: 'Steps' })
  await expect(steps.getByRole('treeitem').filter({ hasText: /^agent.*2 model calls/ })).toBeVisible()
  await steps.focus()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const calls = steps.getByRole('treeitem').filter({ hasText: /^Model call:/ })
  await expect(calls).toHaveCount(2)
  await expectAccessible(page)
  await calls.first().getByRole('link').press('Enter')
  await page.waitForURL(/\/traces\/[0-9a-f-]{36}\?run=/)
})
