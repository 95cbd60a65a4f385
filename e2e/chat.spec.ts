import type { Locator, Page } from '@playwright/test'
import { countInteractions } from './support/interactions'
import { agentOf, makeTalker } from './support/platform'
import { expect, expectAccessible, signIn, test } from './support/session'
import { expectStillEnd } from './support/still'

/** A picture of one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
/** The threads beside it show the same words as previews. */
const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' })
const replies = (page: Page) => page.getByRole('article', { name: 'AI message' })

test('two messages, type and Enter each, and an edited one: every turn is a recorded run', async ({ page }) => {
  const { id, ask } = await agentOf('concierge')
  await signIn(page, `/local/deployments/${id}/chat?assistant=chat`)
  await expect(field(page)).toBeFocused()
  await expect(page.getByRole('combobox', { name: 'Assistant' })).not.toBeDisabled()
  // The examples of the graph's schema are offered, and put where they can be changed.
  const suggestions = page.getByRole('list', { name: 'Suggestions' })
  await suggestions.getByRole('button', { name: 'What time is it?', exact: true }).click()
  await expect(field(page)).toBeFocused()
  await expect(field(page)).toHaveValue('What time is it?')
  await field(page).fill('')
  // On a small screen the path names the deployment, and nine tenths are the chat.
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('concierge')).toBeVisible()
  const height = async () => (await page.getByRole('region', { name: 'Chat' }).boundingBox())?.height
  await expect.poll(height).toBeGreaterThan(0.88 * 844)
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBe(844)
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.keyboard.type('What is 6 * 7?')
  await page.keyboard.press('Enter')
  const stillEnd = await expectStillEnd(page, 'to the very end.')
  await expect(replies(page).last()).toContainText('The calculator says: 42.', { timeout: 30_000 })
  await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}/)
  await stillEnd()
  const thread = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })

  // Second message: the focus has stayed, and the page too.
  await expect(field(page)).toBeFocused()
  // With a picture, and a file that is removed again.
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Add files' }).click()
  await (await chooser).setFiles([
    { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(DOT, 'base64') },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Not for you.') },
  ])
  await page.getByRole('button', { name: 'Remove notes.txt' }).click()
  await expect(page.getByRole('list', { name: 'Files' }).getByRole('listitem')).toHaveCount(1)
  const interactions = await countInteractions(page)
  await page.keyboard.type('What is 6 * 8?')
  await page.keyboard.press('Enter')
  await expect(replies(page).last()).toContainText('The calculator says: 48.', { timeout: 30_000 })
  expect(interactions()).toBe(2)
  await expect(page.getByRole('list', { name: 'Files' })).toHaveCount(0)
  await expect(conversation(page).getByRole('img', { name: 'Picture in this message' })).toBeVisible()
  await expect(page.getByText('What is 6 * 7?').first()).toBeVisible()
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  const rail = page.getByRole('navigation', { name: 'Threads' })
  await expect(rail.locator('[aria-current=page]')).toContainText('What is 6 * 7?Hello, I am a calm concierge.')
  await expectAccessible(page)

  const second = page.getByRole('article', { name: 'Human message' }).last()
  await second.getByRole('button', { name: 'Edit and run again' }).click()
  await page.keyboard.type('What is 6 * 9?')
  await page.keyboard.press('Enter')
  await expect(replies(page).last()).toContainText('The calculator says: 54.', { timeout: 30_000 })
  expect(interactions()).toBe(2 + 3)
  await expect(page.getByText('What is 6 * 8?')).toHaveCount(0)
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  const { values } = await ask('GET', `/threads/${thread}/state`)
  const said = values.messages.filter(({ type }: { type: string }) => type === 'human')
  // The edited message keeps its picture.
  const picture = { type: 'image', source_type: 'base64', data: DOT, mime_type: 'image/png' }
  expect(said.map(({ content }: { content: unknown }) => content)).toEqual([
    'What is 6 * 7?',
    [
      { type: 'text', text: 'What is 6 * 9?' },
      { ...picture, metadata: { filename: 'dot.png' } },
    ],
  ])

  await page.getByRole('button', { name: 'Inspector', exact: true }).click()
  const runs = page.getByRole('combobox', { name: 'Run' })
  await expect(runs.getByRole('option')).toHaveCount(3)
  const steps = page.getByRole('tree', { name: 'Steps' })
  await expect(steps).toBeVisible()
  await page.reload()
  await expect(replies(page).last()).toContainText('The calculator says: 54.')

  // Again from one of its steps: the tool is called once more, what came before it stays.
  const tools = steps.getByRole('treeitem', { name: /^Open tools/ })
  await tools.click()
  await tools.getByRole('button', { name: 'Run from here' }).click()
  await expect(runs.getByRole('option')).toHaveCount(4, { timeout: 30_000 })
  await expect(conversation(page).getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(replies(page).last()).toContainText('The calculator says: 54.')
  await expect(steps.getByRole('treeitem').first()).toContainText('tools')

  // What another program says on the thread is shown, takes nothing away, and leaves what is being typed alone.
  const edited = page.getByRole('textbox', { name: 'Edited message' })
  await page.getByRole('button', { name: 'Edit and run again' }).last().click()
  await edited.fill('And now')
  const input = { messages: [{ role: 'user', content: 'Said elsewhere.' }] }
  await ask('POST', `/threads/${thread}/runs/wait`, { assistant_id: 'chat', input, context: { delay_ms: 0 } })
  await expect(conversation(page).getByText('Said elsewhere.').first()).toBeAttached()
  await expect(edited).toBeFocused()
  await expect(edited).toHaveValue('And now')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^(Jump to end|\d+ new)$/ }).click()

  // A breakpoint is set on the picture of the graph, for the next run.
  await page.getByRole('tab', { name: 'Graph' }).click()
  await page.getByRole('button', { name: 'Stop before tools' }).click()
  await expect(page.getByRole('button', { name: 'Advanced, 1 set' })).toBeVisible()
  await field(page).fill('What is 6 * 5?')
  await field(page).press('Enter')
  const stopped = page.getByRole('region', { name: 'Stopped before tools' })
  await stopped.getByRole('button', { name: 'Continue' }).click({ timeout: 30_000 })
  await expect(replies(page).last()).toContainText('The calculator says: 30.', { timeout: 30_000 })

  // At least three quarters of the window are content.
  await page.setViewportSize({ width: 1440, height: 900 })
  // A part that is being replaced has no size for a moment.
  const tall = (shown: Locator) =>
    expect.poll(async () => (await shown.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(675)
  await tall(page.getByRole('region', { name: 'Chat' }))
  const chat = new URL(page.url()).pathname
  await page.goto(chat.replace('/chat/', '/threads/'))
  await tall(page.getByRole('region', { name: 'Chat' }))
  await page.getByRole('link', { name: 'Open run' }).last().click()
  await tall(page.getByRole('tabpanel'))
  await page.getByRole('link', { name: 'Open trace' }).click()
  await tall(page.getByRole('region', { name: 'Tree' }))
})

test('a reply streams in place, a reload loses nothing of it, and it can be stopped', async ({ page }) => {
  const { deployment, assistant } = await makeTalker(300)
  await signIn(page, `/local/deployments/${deployment}/chat?assistant=${assistant}`)
  await field(page).fill('Talk until I stop you.')
  await field(page).press('Enter')
  await expect(replies(page).last()).toContainText('a calm concierge', { timeout: 30_000 })
  await expect(page.getByRole('button', { name: 'Send' })).toHaveCount(0)
  // The page can stop the run before its code has loaded.
  expect(await (await page.request.get(page.url())).text()).toMatch(/>Stop<\/button>/)
  await page.reload()
  await expect(replies(page).last()).toContainText('a calm concierge')

  // Sending during a run asks once what it means.
  await field(page).fill('And then?')
  await field(page).press('Enter')
  const choice = page.getByRole('region', { name: 'A run is active' })
  await expectAccessible(page)
  await choice.getByRole('button', { name: /^Wait/ }).click()
  await expect(page.getByText('Waits for the run above')).toBeVisible()
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByText('Waits for the run above')).toHaveCount(0, { timeout: 20_000 })
  await expect(conversation(page).getByText('And then?')).toBeVisible()
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible({ timeout: 20_000 })
  await expect(field(page)).toBeFocused()
})

test('a long conversation opens at its end', async ({ page }) => {
  const { id, ask } = await agentOf('concierge')
  const { thread_id } = await ask('POST', '/threads', { metadata: { graph_id: 'chat' } })
  const messages = Array.from({ length: 60 }, (_, n) => ({
    role: n % 2 ? 'assistant' : 'user',
    content: `Message ${n}`,
  }))
  await ask('POST', `/threads/${thread_id}/state`, { as_node: 'agent', values: { messages } })
  await signIn(page, `/local/deployments/${id}/chat/${thread_id}`)
  await expect(conversation(page).getByText('Message 59')).toBeInViewport()
  const left = () => conversation(page).evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight)
  await expect.poll(left).toBeLessThan(2)
  await expect(page.getByRole('button', { name: 'Jump to end' })).toHaveCount(0)
})

test('a question is answered in the conversation, and a graph without messages gets its form', async ({ page }) => {
  const concierge = await agentOf('concierge')
  await signIn(page, `/local/deployments/${concierge.id}/chat?assistant=approval`)
  await field(page).fill('the harbour')
  await field(page).press('Enter')
  const panel = page.getByRole('region', { name: 'Needs input' })
  await panel.getByRole('radio', { name: 'approve' }).check({ timeout: 30_000 })
  // On a small screen the inspector is over the question, and leads back to it.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Inspector', exact: true }).click()
  await page.getByRole('button', { name: 'Show the question' }).click()
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toHaveCount(0)
  await page.setViewportSize({ width: 1280, height: 720 })
  await panel.getByRole('button', { name: 'Send answer' }).click()
  await expect(conversation(page).getByText(/Sent to the whole team/)).toBeVisible({ timeout: 30_000 })
  await expect(field(page)).toBeFocused()
  await expect(page).toHaveURL(/\/chat\//)

  // Several assistants answer the same message, each on a thread of its own.
  await page.goto(`/local/deployments/${concierge.id}/chat?assistant=chat`)
  await page.getByRole('button', { name: 'Ask several assistants' }).click()
  const side = page.getByRole('region', { name: 'Side by side' })
  await side.getByRole('combobox', { name: 'Assistant' }).last().selectOption({ label: 'approval (default)' })
  await expect(field(page)).toBeFocused()
  await side.getByRole('button', { name: 'Advanced' }).click()
  await side.getByText('Context of column 1: chat (default)').click()
  await side
    .getByRole('region', { name: 'For one assistant' })
    .getByRole('textbox', { name: /delay_ms/ })
    .fill('1')
  await expect(side.getByRole('region', { name: 'For all 2 assistants' })).toBeVisible()
  await expectAccessible(page)
  await side.getByRole('button', { name: 'Advanced, 1 set' }).click()
  await field(page).focus()
  await page.keyboard.type('What is 6 * 4?')
  await page.keyboard.press('Enter')
  const chat = side.getByRole('region', { name: 'chat (default)' })
  const approval = side.getByRole('region', { name: 'approval (default)' })
  await expect(chat.getByText('The calculator says: 24.')).toBeVisible({ timeout: 30_000 })
  await expect(approval.getByRole('region', { name: 'Needs input' })).toBeVisible({ timeout: 30_000 })
  await expect(side.getByRole('link', { name: 'Open chat' })).toHaveCount(2)
  await expectAccessible(page)
  await page.reload()
  await expect(chat.getByText('The calculator says: 24.')).toBeVisible({ timeout: 30_000 })

  const workbench = await agentOf('workbench')
  await page.goto(`/local/deployments/${workbench.id}/chat?assistant=failing`)
  // Its input is a form from its schema, filled with the defaults; the thread is titled by it.
  await page.getByRole('textbox', { name: /order/i }).fill('C-12')
  await page.getByRole('button', { name: 'Send' }).click()
  const failure = page.getByRole('region', { name: 'Failure' })
  await expect(failure).toBeVisible({ timeout: 30_000 })
  await expect(failure).toContainText('The payment of order C-12 was declined by the bank.')
  await expect(page.getByRole('heading', { name: 'C-12', exact: true })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Threads' }).getByRole('link', { name: /^C-12/ })).toBeVisible()
  await failure.getByRole('button', { name: 'Retry' }).click()
  await expect(failure).toHaveCount(0)
  await expect(failure).toBeVisible({ timeout: 30_000 })
  await expect(page).toHaveURL(/\/chat\//)
})
