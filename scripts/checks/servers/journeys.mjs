// What is tried on each server: the main pages of the console, driven by role and label. Each check throws what went wrong, or
// returns `absent` if the page says that the server lacks the feature.
import { expect } from '@playwright/test'

/** The page says that this server does not have it. */
const ABSENT = 'absent'
const PATIENCE = { timeout: 30_000 }

const field = (page) => page.getByRole('textbox', { name: 'Message', exact: true })
const replies = (page) => page.getByRole('article', { name: 'AI message' })
/** The threads beside the chat have a group of this name too. */
const question = (page) =>
  page.getByRole('region', { name: 'Needs input' }).filter({ has: page.getByRole('radio', { name: 'Text' }) })
const finished = (page) => expect(page.getByText('Finished', { exact: true }).last()).toBeVisible(PATIENCE)

/** The page shows no error, and is accessible by its first heading. */
async function open(page, address) {
  await page.goto(address)
  await expect(page.locator('main h1').first()).toBeVisible(PATIENCE)
}
const noErrors = (page) => expect(page.locator('main [role=alert]').filter({ hasText: /\w/ })).toHaveCount(0)

async function send(page, text) {
  await field(page).fill(text)
  await field(page).press('Enter')
}

/** Waits until the page shows what it has, or says that the server does not have it. */
async function offeredOr(page, ...shown) {
  const missing = page.getByText(/This agent server does not offer/)
  await expect(shown.reduce((all, one) => all.or(one), missing).first()).toBeVisible(PATIENCE)
  return (await missing.isVisible()) ? ABSENT : undefined
}

/** @typedef {{ page: import('@playwright/test').Page, home: string, version: string, ask: (method: string, path: string, body?: object) => Promise<any> }} Visit */

/** @type {Record<string, (visit: Visit) => Promise<string | undefined | void>>} */
export const JOURNEYS = {
  overview: async ({ page, home }) => {
    await open(page, home)
    const panel = page.getByRole('region', { name: 'Graphs and assistants' })
    for (const graph of ['chat', 'approval', 'failing'])
      await expect(panel.getByText(graph, { exact: true })).toBeVisible(PATIENCE)
    await expect(page.getByRole('region', { name: 'Capabilities' }).getByRole('listitem').first()).toBeVisible(PATIENCE)
    await noErrors(page)
  },
  'chat: first message': async ({ page, home }) => {
    await open(page, `${home}/chat?assistant=chat`)
    await send(page, 'good morning')
    await expect(replies(page).last()).toContainText('The echo heard: good morning (1)', PATIENCE)
    await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}/)
    await finished(page)
  },
  'chat: second message': async ({ page }) => {
    await send(page, 'good evening')
    await expect(replies(page).last()).toContainText('The echo heard: good evening (3)', PATIENCE)
    await expect(replies(page)).toHaveCount(2)
    await finished(page)
    await page.reload()
    await expect(replies(page)).toHaveCount(2, PATIENCE)
    await noErrors(page)
  },
  'chat: edit a message': async ({ page }) => {
    await page
      .getByRole('article', { name: 'Human message' })
      .last()
      .getByRole('button', { name: 'Edit and run again' })
      .click()
    await page.keyboard.type('good night')
    await page.keyboard.press('Enter')
    await expect(replies(page).last()).toContainText('The echo heard: good night (3)', PATIENCE)
    await expect(replies(page)).toHaveCount(2)
    await finished(page)
  },
  'chat: tokens, one by one; stop': async ({ page, home }) => {
    await open(page, `${home}/chat?assistant=chat`)
    await send(page, 'speak slowly')
    const lengths = new Set()
    const read = async () => lengths.add(((await replies(page).last().textContent()) ?? '').length).size
    await expect.poll(read, { timeout: 20_000, intervals: [50] }).toBeGreaterThanOrEqual(3)
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect(page.getByText('Cancelled', { exact: true }).last()).toBeVisible(PATIENCE)
  },
  'run page': async ({ page, home }) => {
    await open(page, `${home}/runs/new?assistant=chat`)
    await startRun(page, 'a run of its own')
    await expect(page.getByText('Finished', { exact: true })).toBeVisible(PATIENCE)
    await expect(replies(page).last()).toContainText('The echo heard: a run of its own (1)')
    await page.getByRole('tab', { name: 'State' }).click()
    await expect(page.getByRole('tree').getByText('plan').first()).toBeVisible(PATIENCE)
    await noErrors(page)
  },
  'run page: a failed run': async ({ page, home }) => {
    await open(page, `${home}/runs/new?assistant=failing`)
    await startRun(page, 'leave the harbour')
    await expect(page.getByText('Failed', { exact: true }).first()).toBeVisible(PATIENCE)
    const reason = page.getByText('The harbour is closed.').first()
    // Aegra replaces every message by this one.
    const hidden = page.getByText('ValueError: execution failed').first()
    await expect(reason.or(hidden).first()).toBeVisible()
    return (await reason.isVisible()) ? undefined : 'works; the server hides the reason'
  },
  threads: async ({ page, home }) => {
    await open(page, `${home}/threads`)
    const rows = page.getByRole('table', { name: 'Threads' }).locator('tr[data-key]')
    await expect(rows.filter({ hasText: 'good morning' })).toHaveCount(1, PATIENCE)
    await noErrors(page)
  },
  'threads: sort and filter': async ({ page, home }) => {
    const rows = page.getByRole('table', { name: 'Threads' }).locator('tr[data-key]')
    for (const sort of ['created_at-asc', 'state_updated_at-desc', 'status-asc']) {
      await open(page, `${home}/threads?sort=${sort}`)
      await expect(rows.filter({ hasText: 'good morning' })).toHaveCount(1, PATIENCE)
    }
    await open(page, `${home}/threads?graph=chat&status=idle`)
    await expect(rows.filter({ hasText: 'good morning' })).toHaveCount(1, PATIENCE)
    await expect(rows.filter({ hasText: 'leave the harbour' })).toHaveCount(0)
    await open(page, `${home}/threads?graph=nothing`)
    await expect(page.getByText('No matching threads')).toBeVisible(PATIENCE)
  },
  'thread: state and history': async ({ page, home }) => {
    await open(page, `${home}/threads`)
    const rows = page.getByRole('table', { name: 'Threads' }).locator('tr[data-key]')
    await openThread(page, rows.filter({ hasText: 'a run of its own' }))
    await expect(page.getByRole('region', { name: 'Conversation' })).toContainText('a run of its own', PATIENCE)
    await page.getByRole('button', { name: 'Inspector', exact: true }).click()
    await page.getByRole('tab', { name: 'State' }).click()
    await expect(page.getByRole('tree', { name: 'State' })).toContainText(
      String.raw`answer \"a run of its own\"`,
      PATIENCE,
    )
    await page.getByRole('tab', { name: 'History' }).click()
    const checkpoints = page.getByRole('navigation', { name: 'Checkpoints' })
    await checkpoints.getByRole('button', { name: /Step 1/ }).click(PATIENCE)
    await expect(page.getByRole('tree', { name: 'State at this checkpoint' })).toContainText(
      'a run of its own',
      PATIENCE,
    )
    await noErrors(page)
  },
  'interrupt: answered in the chat': async ({ page, home }) => {
    await open(page, `${home}/chat?assistant=approval`)
    await send(page, 'the invitation')
    const panel = question(page)
    await expect(panel).toContainText('Shall it be sent?', PATIENCE)
    await panel.getByRole('radio', { name: 'Text' }).check()
    await panel.getByRole('textbox', { name: 'Answer' }).fill('by all means')
    await panel.getByRole('button', { name: /^Send/ }).click()
    await expect(replies(page).last()).toContainText('The answer was: by all means', PATIENCE)
    await finished(page)
  },
  'interrupt: answered in the inbox': async ({ page, home }) => {
    await open(page, `${home}/chat?assistant=approval`)
    await send(page, 'the reminder')
    await expect(question(page)).toContainText('Shall it be sent?', PATIENCE)
    await open(page, home.replace(/\/deployments\/.*/, '/inbox'))
    const row = page.getByRole('table', { name: 'Waiting threads' }).locator('tr[data-key]')
    await expect(row).toHaveCount(1, PATIENCE)
    await row.getByText('Shall it be sent?').click()
    await page.getByRole('radio', { name: 'Text' }).check()
    await page.getByRole('textbox', { name: 'Answer' }).fill('tomorrow')
    await page.getByRole('button', { name: 'Send answer' }).click()
    await expect(page.getByText('Answered.')).toBeVisible(PATIENCE)
    await expect(row).toHaveCount(0, PATIENCE)
  },
  'assistants: create and edit': async ({ page, home, ask }) => {
    await open(page, `${home}/assistants/new`)
    await page.getByLabel('Graph', { exact: true }).selectOption('chat')
    await giveContext(page, { persona: 'porter' })
    await page.getByLabel('Name', { exact: true }).fill('Night desk')
    await page.getByRole('button', { name: 'Create assistant' }).click()
    await expect(page.getByRole('heading', { name: 'Night desk' })).toBeVisible(PATIENCE)
    await page.getByRole('link', { name: 'Edit' }).click()
    await giveContext(page, { persona: 'gardener' })
    await page.getByRole('button', { name: /^Save as version 2/ }).click()
    await expect(page.getByText('Active version2', { exact: true })).toBeVisible(PATIENCE)
    const [found] = await ask('POST', '/assistants/search', { graph_id: 'chat', metadata: {}, limit: 10 }).then((all) =>
      all.filter(({ name }) => name === 'Night desk'),
    )
    expect(found.context).toEqual({ persona: 'gardener' })
  },
  'assistants: activate a version': async ({ page, ask }) => {
    const id = /assistants\/([0-9a-f-]{36})/.exec(page.url())?.[1]
    await page.getByRole('tab', { name: 'Versions' }).click()
    const versions = page.getByRole('table', { name: 'Versions' })
    await versions.getByRole('button', { name: 'Activate version 1' }).click(PATIENCE)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Activate version 1' }).click()
    await expect(dialog.getByRole('button', { name: 'Undo' })).toBeVisible(PATIENCE)
    const repair = dialog.getByRole('button', { name: 'Save as a new version' })
    const isRepaired = await repair.isVisible()
    await (isRepaired ? repair : dialog.getByRole('button', { name: 'Done' })).click()
    await expect(dialog).toHaveCount(0, PATIENCE)
    expect((await ask('GET', `/assistants/${id}`)).context).toEqual({ persona: 'porter' })
    return isRepaired ? 'works (repaired)' : undefined
  },
  'assistants: a run uses the version': async ({ page, home }) => {
    const id = /assistants\/([0-9a-f-]{36})/.exec(page.url())?.[1]
    await open(page, `${home}/chat?assistant=${id}`)
    await send(page, 'who is there?')
    await expect(replies(page).last()).toContainText('The porter heard: who is there?', PATIENCE)
  },
  'assistants: schemas and graph': async ({ page, home }) => {
    await open(page, `${home}/assistants`)
    await page.getByRole('table', { name: 'Assistants' }).getByRole('link', { name: 'chat' }).first().click()
    await page.getByRole('tab', { name: 'Graph' }).click()
    await expect(page.getByRole('tabpanel').getByText('reply').first()).toBeVisible(PATIENCE)
    await page.getByRole('tab', { name: 'Schemas' }).click()
    const fields = page.getByRole('region', { name: 'Fields' })
    const missing = page.getByText('The server does not provide this schema.')
    await expect(fields.or(missing).first()).toBeVisible(PATIENCE)
    return (await missing.isVisible()) ? ABSENT : undefined
  },
  crons: async ({ page, home }) => {
    await open(page, `${home}/crons`)
    const absent = await offeredOr(page, page.getByText('No crons yet'), page.getByRole('table', { name: 'Crons' }))
    if (absent) return absent
    await page.getByRole('link', { name: 'New cron' }).first().click()
    if (await offeredOr(page, page.getByRole('textbox', { name: 'Schedule' }))) return ABSENT
    await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'chat (default)' })
    await page.getByRole('textbox', { name: 'Schedule' }).fill('30 9 1 1 *')
    await page.getByPlaceholder('What should the agent do?').fill('ring the bell')
    await page.getByRole('button', { name: 'Create cron' }).click()
    await page.waitForURL(/\/crons\/[0-9a-f-]{36}$/, PATIENCE)
    await expect(page.getByText('30 9 1 1 *').first()).toBeVisible(PATIENCE)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete cron' }).click()
    await page.waitForURL(/\/crons$/, PATIENCE)
  },
  store: async ({ page, home }) => {
    await open(page, `${home}/store`)
    const absent = await offeredOr(
      page,
      page.getByRole('navigation', { name: 'Namespaces' }),
      page.getByText('No items yet'),
    )
    if (absent) return absent
    await page.getByRole('button', { name: 'New item' }).first().click()
    const sheet = page.getByRole('dialog')
    await sheet.getByLabel('Namespace').fill('journey.ann')
    await sheet.getByLabel('Key').fill('likes')
    await sheet.locator('.cm-content').fill('{"drink": "tea"}')
    await sheet.getByRole('button', { name: 'Create item' }).click()
    await expect(sheet.getByRole('tree', { name: 'Value' })).toContainText('"tea"', PATIENCE)
    await sheet.getByRole('button', { name: 'Close' }).click()
    await open(page, `${home}/store`)
    await expect(page.getByRole('table', { name: 'Items' })).toContainText('likes', PATIENCE)
  },
  'thread: copy and delete': async ({ page, home }) => {
    await open(page, `${home}/threads`)
    const rows = page.getByRole('table', { name: 'Threads' }).locator('tr[data-key]')
    await openThread(page, rows.filter({ hasText: 'leave the harbour' }))
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type delete to confirm').fill('delete')
    await dialog.getByRole('button', { name: 'Delete 1 thread' }).click()
    await expect(dialog.getByRole('list', { name: 'Results' })).toContainText('Deleted', PATIENCE)
  },
  system: async ({ page, home, version }) => {
    await open(page, `${home}/system`)
    await expect(page.getByRole('region', { name: 'Server' })).toContainText(
      // A package that was published again tells the version of its content.
      version.replace(/\.post\d+$/, ''),
      PATIENCE,
    )
    await noErrors(page)
  },
}

/** By its fields where the server has a schema, otherwise as JSON. */
async function giveContext(page, context) {
  const json = page.getByRole('textbox', { name: 'Context as JSON' })
  const persona = page.getByRole('textbox', { name: /^persona/i })
  await expect(persona.or(json).first()).toBeVisible(PATIENCE)
  if (await persona.isVisible()) await persona.fill(context.persona)
  else await writeJson(json, context)
}

/** By its message where the server has a schema, otherwise as JSON. */
async function startRun(page, text) {
  const message = page.getByLabel('Message', { exact: true }).last()
  const json = page.getByRole('textbox', { name: 'Input as JSON' })
  // The schema decides, and comes later.
  const hasSchema = await message.waitFor({ timeout: 8_000 }).then(
    () => true,
    () => false,
  )
  if (hasSchema) await message.fill(text)
  else await writeJson(json, { messages: [{ role: 'user', content: text }] })
  await page.getByRole('button', { name: 'Start run' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
}

/** Replaces the text of an editor, which may get its own at first. */
const writeJson = (editor, value) =>
  expect(async () => {
    await editor.fill(JSON.stringify(value))
    await expect(editor).toHaveText(JSON.stringify(value), { timeout: 1_000 })
  }).toPass(PATIENCE)

/** A click is repeated, because the list may be drawn again meanwhile. */
const openThread = (page, row) =>
  expect(async () => {
    await row.getByRole('link').first().click({ timeout: 2_000 })
    await page.waitForURL(/\/threads\/[0-9a-f-]{36}/, { timeout: 5_000 })
  }).toPass(PATIENCE)
