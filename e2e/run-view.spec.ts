import type { Locator, Page } from '@playwright/test'
import { makeTalker } from './support/platform'
import { SAMPLE_ID } from './support/sample-inputs'
import { expect, expectAccessible, openDeployment, signIn, startChat, test } from './support/session'
import { expectStillEnd } from './support/still'
import { send, startStubAgent } from './support/stub-agent'
import type { Reply } from './support/stub-upstream'
import { addAgentServer } from './support/workspace'

/** Signs in and starts a graph of a sample deployment with the form's defaults, and a message if it takes one. */
async function start(page: Page, deploymentId: string, graph: string, message?: string): Promise<void> {
  await openDeployment(page, deploymentId)
  await expect(page.getByText('Deployed', { exact: true }).first()).toBeVisible({ timeout: 60_000 })
  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: `${graph} (default)` })
  if (message) await page.getByLabel('Message', { exact: true }).last().fill(message)
  else await expect(page.getByRole('textbox', { name: 'Input as JSON' })).not.toHaveText('{}')
  await page.getByRole('button', { name: 'Start run' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
}

test('a question is answered in place: approve, then edit as JSON; every list shows that it waits', async ({
  page,
}) => {
  await start(page, 'concierge', 'approval', 'the harbour')
  const panel = page.getByRole('region', { name: 'Needs input' })
  await expect(panel.getByText('Send this to the whole team?')).toBeVisible({ timeout: 30_000 })
  const asked = page.url()
  // The page asks it, so the transcript does not ask it too. A small screen shows it whole.
  const inTranscript = page.getByRole('region', { name: 'Conversation' }).getByText('Send this to the whole team?')
  await expect(inTranscript).toHaveCount(0)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(panel.getByRole('button', { name: 'Send answer' })).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 1280, height: 720 })
  await panel.getByRole('button', { name: 'Send answer' }).click()
  await expect(panel.getByRole('alert')).toHaveText('Choose an answer.')
  await panel.getByRole('radio', { name: 'approve' }).check()
  await panel.getByRole('button', { name: 'Send answer' }).click()
  await page.waitForURL((url) => url.pathname.includes('/runs/') && url.href !== asked)
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText(/Sent to the whole team/)).toBeVisible()

  await page.goto(asked)
  await expect(page.getByRole('region', { name: 'Already continued' })).toBeVisible()
  await expect(page.getByText('Continued', { exact: true })).toBeVisible()
  await expect(inTranscript).toBeVisible()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs', exact: true }).click()
  await expect(page.getByRole('table', { name: 'Runs' }).getByText('Continued', { exact: true }).first()).toBeVisible()

  await start(page, 'concierge', 'approval', 'the lighthouse')
  await panel.getByRole('radio', { name: 'JSON' }).check({ timeout: 30_000 })
  await panel.getByLabel('Answer as JSON').fill('{"type": "edit", "text": "Ahoy."}')
  await panel.getByRole('button', { name: 'Send answer' }).click()
  await expect(page.getByText(/Sent as you changed it to the whole team: Ahoy\./)).toBeVisible({ timeout: 30_000 })
})

test('a step links to its events, and the events are filtered by node with the filter in the URL', async ({ page }) => {
  await start(page, 'workbench', 'failing')
  await expect(page.getByText('Failed', { exact: true }).first()).toBeVisible({ timeout: 30_000 })
  await page.getByRole('tab', { name: 'Steps' }).click()
  const steps = page.getByRole('tree', { name: 'Steps' })
  await expect(steps.getByRole('treeitem', { name: /pay/ }).first()).toContainText('Failed')
  await steps.getByRole('treeitem', { name: /reserve/ }).click()
  await steps
    .getByRole('treeitem', { name: /reserve/ })
    .getByRole('button', { name: 'Show in events' })
    .click()
  const events = page.getByRole('listbox', { name: 'Events' })
  await expect(events.getByRole('option', { selected: true })).toBeVisible()
  await page.getByRole('combobox', { name: 'Node' }).selectOption('reserve')
  await expect(page.getByText(/^3 of \d+$/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Jump to end' })).toBeHidden()
  await page.reload()
  await expect(page.getByRole('combobox', { name: 'Node' })).toHaveValue('reserve')
  await expect(page.getByText(/^3 of \d+$/)).toBeVisible()
  await page.getByRole('button', { name: 'Show state at this entry' }).first().click()
  await expect(page.getByRole('tree', { name: /^State at entry \d+$/ })).toBeVisible()
})

test('pausing freezes the page and loses nothing', async ({ page }) => {
  await start(page, 'concierge', 'chat', 'Please tell me about the harbour.')
  const reply = page.getByRole('article', { name: 'AI message' }).last()
  await expect(reply).toContainText('concierge', { timeout: 20_000 })
  await page.setViewportSize({ width: 390, height: 844 })
  // Two lines, also while there is more to do.
  await expect.poll(async () => (await page.locator('main header').first().boundingBox())?.height).toBeLessThan(84)
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByText(/^Paused, \d+ new$/)).toBeVisible()
  const stood = await reply.textContent()
  await expect(page.getByText(/^Paused, [2-9]\d+ new$/)).toBeVisible({ timeout: 30_000 })
  expect(await reply.textContent()).toBe(stood)
  const stillEnd = await expectStillEnd(page, 'to the very end.')
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(reply).toContainText('thank you for listening to the very end.')
  await stillEnd()
})

test('on a small screen only the conversation scrolls, not the page around it too', async ({ page }) => {
  await start(page, 'concierge', 'chat', 'A long question. '.repeat(120))
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  const conversation = page.getByRole('region', { name: 'Conversation' })
  for (const width of [360, 390, 639, 768, 1023]) {
    await page.setViewportSize({ width, height: 844 })
    await expect.poll(() => conversation.evaluate((box) => box.scrollHeight > box.clientHeight)).toBe(true)
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight), `${width} px`).toBe(844)
  }
  // The header is folded to two lines.
  await page.setViewportSize({ width: 390, height: 844 })
  await expect.poll(async () => (await page.getByRole('tabpanel').boundingBox())?.height).toBeGreaterThan(0.72 * 844)
  const firstToken = page.getByText('First token').filter({ visible: true })
  await expect(firstToken).toHaveCount(0)
  await page.getByText('Details', { exact: true }).click()
  await expect(firstToken).toHaveCount(1)
  await expect(page.getByText(/^Started/)).toBeInViewport({ ratio: 1 })
})

test('on a small screen an event is a sheet over the list, and closing it leads back to its row', async ({ page }) => {
  await start(page, 'concierge', 'chat', 'What is 6 * 7?')
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  await page.getByRole('tab', { name: /^Events/ }).click()
  await page.setViewportSize({ width: 390, height: 844 })
  const events = page.getByRole('listbox', { name: 'Events' })
  const selected = events.getByRole('option', { selected: true })
  const sheet = page.getByRole('region', { name: /^Entry/ })
  await events.focus()
  await page.keyboard.press('Home')
  await expect(selected).toHaveCount(1)
  await expect(sheet).toHaveCount(0)
  const height = (await events.boundingBox())?.height
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Entry 1', exact: true })).toBeFocused()
  expect((await events.boundingBox())?.height).toBe(height)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
  await expect(events).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(events).toHaveAttribute('aria-activedescendant', /-2$/)
  await events.getByRole('option').nth(2).click()
  await expect(page).toHaveURL(/[?&]at=3/)
  await expect(sheet).toBeFocused()
  await page.goBack()
  await expect(sheet).toHaveCount(0)
  await expect(events).toBeFocused()
  await expect(events).toHaveAttribute('aria-activedescendant', /-3$/)
  await events.getByRole('option').nth(1).click()
  await sheet.getByRole('button', { name: 'Close' }).click()
  await expect(events).toBeFocused()
  await expect(selected).toBeInViewport({ ratio: 1 })
})

test('a failed run says why above its lenses, and the window shows both without scrolling the page', async ({
  page,
}) => {
  await start(page, 'workbench', 'failing')
  const failure = page.getByRole('region', { name: 'Failure' })
  await expect(failure.getByText('Stack')).toBeVisible({ timeout: 30_000 })
  const lens = page.getByRole('tabpanel')
  const boxOf = async (one: Locator) => (await one.boundingBox()) ?? { y: 0, height: 0 }
  for (const [width, height] of [
    [360, 740],
    [390, 844],
    [768, 1024],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const unfolded of [false, true]) {
      if (unfolded) await failure.getByText('Stack').click()
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollHeight), `${width} px, stack ${unfolded}`)
        .toBe(height)
      expect((await boxOf(lens)).height).toBeGreaterThanOrEqual(200)
    }
    await expect(page.getByRole('link', { name: 'Open trace' })).toHaveCount(1)
    await failure.getByText('Stack').click()
  }
  // At least three quarters of the window are content.
  const [top, bottom] = [await boxOf(failure), await boxOf(lens)]
  expect(bottom.y + bottom.height - top.y).toBeGreaterThanOrEqual(675)
  await page.getByRole('link', { name: 'Open trace' }).click()
  await expect(page.getByRole('region', { name: 'Tree' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBe(900)
  // On a small screen the sheet scrolls, and the JSON in it does not too.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('tree', { name: 'Runs of the trace' }).getByRole('treeitem').first().click()
  await page.getByRole('tab', { name: 'JSON' }).click()
  const tree = page.getByRole('tree', { name: 'Run as JSON' })
  await expect.poll(() => tree.evaluate((box) => box.scrollHeight - box.clientHeight)).toBe(0)
  await tree.focus()
  await page.keyboard.press('End')
  await expect(tree.getByRole('treeitem', { selected: true })).toBeInViewport()
})

test('replay, export to a file, open the file, compare with another run, and rerun with changes', async ({ page }) => {
  await start(page, 'workbench', 'failing') // the run to compare with
  await start(page, 'concierge', 'chat', 'What is 6 * 7?')
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  const recording = page.url().split('/').at(-1) ?? ''
  const conversation = page.getByRole('region', { name: 'Conversation' })
  const said = conversation.getByText('The calculator says: 42.').first()

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: /^Replay/ }).click()
  const bar = page.getByRole('region', { name: 'Replay' })
  await bar.getByRole('combobox', { name: 'Speed' }).selectOption('20')
  await expect(said).toBeVisible({ timeout: 20_000 })
  await expect(bar.getByRole('button', { name: 'Play', exact: true })).toBeVisible({ timeout: 20_000 }) // it has come to the end
  await bar.getByRole('slider').fill('0')
  await expect(said).toBeHidden()
  // The graph is that of the moment, too.
  await page.getByRole('tab', { name: 'Graph' }).click()
  const graph = page.getByRole('region', { name: 'Graph' })
  await expect(graph).toContainText('agent')
  await expect(graph).not.toContainText('done')
  await bar.getByRole('slider').press('End')
  await expect(graph).toContainText('done')
  await page.getByRole('tab', { name: 'Transcript' }).click()
  await bar.getByRole('slider').fill('0')
  await bar.getByRole('button', { name: 'Play', exact: true }).click()
  await expect(said).toBeVisible({ timeout: 20_000 })
  await bar.getByRole('button', { name: 'Close replay' }).click()

  await page.getByRole('button', { name: 'More actions' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: /^Export/ }).click()
  const file = await (await download).path()
  const shown = await conversation.textContent()

  await page.goto('/local/runs/open')
  await page.getByLabel('Recording file').setInputFiles({
    name: 'broken.jsonl',
    mimeType: 'text/plain',
    buffer: Buffer.from('no recording\n'),
  })
  await expect(page.getByText(/not a recording that was exported here/)).toBeVisible()
  await page.context().setOffline(true)
  await page.getByLabel('Recording file').setInputFiles(file)
  await expect(said).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('What is 6 * 7?')
  await expect(page).toHaveTitle('What is 6 * 7? · Pilothouse')
  await expect.poll(() => conversation.textContent()).toBe(shown) // the file is read piece by piece
  await page.context().setOffline(false)

  await page.goto(`/local/runs/compare?a=${recording}&b=${recording}`)
  const difference = page.getByRole('region', { name: 'Difference of the outputs' })
  await expect(difference).toContainText('Same as Run')
  await expect(difference).toContainText('The calculator says: 42.')
  await page.getByLabel('Second run').selectOption({ index: 2 })
  await expect(page.getByRole('table', { name: 'Differences' }).getByRole('row', { name: /^Status/ })).toBeVisible()
  const first = page
    .getByRole('region')
    .filter({ has: page.getByRole('heading', { level: 2, name: /UTC/ }) })
    .first()
  await expect(first.getByText('The calculator says: 42.').first()).toBeVisible()

  const both = page.url()
  await page.goto(`/local/runs/compare?a=${recording}&b=${SAMPLE_ID}`)
  await expect(page.getByText(/^This recording was not found/)).toBeVisible()
  await page.goto(both)
  await first.getByRole('link').first().click()
  await page.waitForURL(/\/deployments\/[^/]+\/runs\//) // until then both sides of the comparison have these tabs
  // The chunks of a message are one row, unfolded and folded again by key.
  await page.getByRole('tab', { name: /^Events/ }).click()
  const events = page.getByRole('listbox', { name: 'Events' })
  const folded = events.getByRole('option', { name: /\d+ chunks/ })
  await expect.poll(() => folded.allTextContents()).toHaveLength(2) // the request for the tool, and the reply
  await folded.last().click()
  await expect(events.getByRole('option', { selected: true })).toBeVisible()
  await page.keyboard.press('ArrowRight')
  await expect(folded).toHaveCount(1)
  await page.keyboard.press('ArrowLeft')
  await expect(folded).toHaveCount(2)
  await page.getByRole('button', { name: 'Fold chunks' }).click()
  await expect(folded).toHaveCount(0)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: /^Run again with changes/ }).click()
  await expect(page.getByLabel('Message', { exact: true }).last()).toHaveValue('What is 6 * 7?')
  await page.getByLabel('Message', { exact: true }).last().fill('What is 6 * 8?')
  await page.getByRole('button', { name: 'Start run' }).click()
  await expect(page.getByText('The calculator says: 48.').first()).toBeVisible({ timeout: 30_000 })
  // On a thread of its own, so the two can be compared.
  await expect(conversation.getByText('What is 6 * 7?')).toHaveCount(0)
})

test('several questions, one from a subgraph, are listed once each and answered together by id', async ({ page }) => {
  const run = { run_id: SAMPLE_ID, thread_id: SAMPLE_ID, assistant_id: SAMPLE_ID }
  const inner = {
    id: 'inner',
    value: {
      action_requests: [{ name: 'send_mail', args: { to: 'a@example.com' } }],
      review_configs: [{ action_name: 'send_mail', allowed_decisions: ['approve', 'edit', 'reject'] }],
    },
  }
  const outer = { id: 'outer', value: 'Which colour?' }
  let state: object = { values: {}, next: ['ask', 'sub'], tasks: [], interrupts: [inner, outer] }
  const stub = await startStubAgent(({ method, path, body }): Reply | undefined => {
    if (method === 'POST' && path.endsWith('/runs/stream'))
      return (response) => {
        if (JSON.parse(body).command) state = { values: { done: true }, next: [], tasks: [], interrupts: [] }
        else
          send(
            response,
            ['metadata', run],
            ['updates|sub:t1', { __interrupt__: [inner] }],
            ['updates', { __interrupt__: [inner, outer] }],
          )
        send(response, ['end', { status: 'success' }])
        response.end()
      }
    if (path.endsWith(`/runs/${SAMPLE_ID}`)) return { body: { ...run, status: 'success' } }
    if (path.endsWith('/state')) return { body: state }
    return undefined
  })
  try {
    await addAgentServer(page, { name: 'curious', url: stub.url })
    await startChat(page, 'Go.')
    const panel = page.getByRole('region', { name: 'Needs input: 2 questions' })
    await expect(panel.getByRole('region', { name: 'Question 1' }).getByText('sub', { exact: true })).toBeVisible()
    await panel.getByRole('radio', { name: 'Edit' }).check()
    await panel.getByLabel('Arguments of send_mail').fill('{"to": "b@example.com", "id": 12345678901234567890}')
    await panel.getByLabel('Answer', { exact: true }).fill('Blue')
    const asked = page.url()
    await panel.getByRole('button', { name: 'Send 2 answers' }).click()
    await page.waitForURL((url) => url.pathname.includes('/runs/') && url.href !== asked)
    const sent = stub.seen.filter(({ path, method }) => method === 'POST' && path.endsWith('/runs/stream')).at(-1)
    expect(sent?.body).toContain('12345678901234567890')
    const resume = JSON.parse(sent?.body ?? '{}').command.resume
    expect(resume.outer).toBe('Blue')
    expect(resume.inner.decisions).toMatchObject([
      { type: 'edit', edited_action: { name: 'send_mail', args: { to: 'b@example.com' } } },
    ])
  } finally {
    await stub.stop()
  }
})

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(wanted).toBeVisible({ timeout: 30_000 })
  for (let pressed = 0; pressed < 90; pressed++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press(key)
  }
  throw new Error(`The Tab key does not lead to ${wanted}.`)
}

test('by keyboard alone a run is started, followed and stopped, another is answered, and screen readers get updates', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const told: [at: number, text: string][] = []
    Object.assign(window, { told })
    setInterval(() => {
      const text = document.querySelector('[role=status][aria-live=polite].sr-only')?.textContent ?? ''
      if (text !== '' && text !== told.at(-1)?.[1]) told.push([performance.now(), text])
    }, 50)
  })
  const begin = async (graph: string, message: string) => {
    const run = page.url()
    await tabTo(page, page.getByRole('combobox', { name: 'Assistant' }))
    await page.keyboard.type(graph)
    await tabTo(page, page.getByLabel('Message', { exact: true }).last())
    await page.keyboard.type(message)
    await page.keyboard.press('Control+Enter')
    await page.waitForURL((url) => /\/runs\/[0-9a-f-]{36}$/.test(url.pathname) && url.href !== run)
  }
  const { name: talker } = await makeTalker(300) // slow enough to stop on any machine
  await signIn(page, '/local/deployments?name_contains=concierge')
  await tabTo(page, page.getByRole('link', { name: 'concierge', exact: true }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('link', { name: 'Start a run' }).first())
  await page.keyboard.press('Enter')
  await begin(talker, 'Talk until I stop you.')

  await tabTo(page, page.getByRole('button', { name: 'Cancel', exact: true }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem').first()).toBeFocused()
  await expect(page.getByText(/a calm concierge/).first()).toBeVisible({ timeout: 20_000 })
  await page.keyboard.press('Enter')
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible({ timeout: 15_000 })
  type Told = [at: number, text: string][]
  const told = () => page.evaluate(() => (window as unknown as { told: Told }).told)
  await expect.poll(async () => (await told()).at(-1)?.[1], { timeout: 15_000 }).toMatch(/^Run cancelled\. .*concierge/)
  const times = (await told()).map(([at]) => at)
  for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeGreaterThan(4_500)

  await tabTo(page, page.getByRole('tab', { name: 'Transcript' }))
  await page.keyboard.press('ArrowLeft') // wraps around to the last one
  // The focus moves in the next task; a key pressed before that would start from the first tab again.
  await expect(page.getByRole('tab', { name: 'Request' })).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  const events = page.getByRole('listbox', { name: 'Events' })
  await tabTo(page, events)
  await page.keyboard.press('Home')
  await page.keyboard.press('j')
  const second = events.getByRole('option', { selected: true })
  await expect
    .poll(async () => (await events.getAttribute('aria-activedescendant')) === (await second.getAttribute('id')))
    .toBe(true)
  await expectAccessible(page)
  await tabTo(page, page.getByRole('link', { name: 'Continue in chat' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
  await tabTo(page, page.getByRole('link', { name: 'Start a run' }).first(), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await begin('approval', 'the harbour')
  const panel = page.getByRole('region', { name: 'Needs input' })
  await tabTo(page, panel.getByRole('radio', { name: 'approve' }))
  await page.keyboard.press('Space')
  await tabTo(page, panel.getByRole('button', { name: 'Send answer' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText(/Sent to the whole team/)).toBeVisible({ timeout: 30_000 })
})
