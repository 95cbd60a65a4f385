import { agentOf } from './support/platform'
import { expect, expectAccessible, openPart, signIn, test } from './support/session'
import { expectSheet } from './support/sheet'
import { startStubAgent } from './support/stub-agent'
import { addAgentServer } from './support/workspace'

test('tools and A2A agents can be called, and the raw exchange is shown', async ({ page }, { retry }) => {
  const { id, ask } = await agentOf('concierge')
  const name = `Quick desk ${retry}`
  const { assistant_id } = await ask('POST', '/assistants', { graph_id: 'chat', name, context: { delay_ms: 1 } })
  await signIn(page, `/local/deployments/${id}/mcp`)
  const tools = page.getByRole('region', { name: 'Tools' })
  await tools.getByRole('button', { name: new RegExp(`^${name}`) }).click()
  const tool = page.getByRole('region', { name, exact: true })
  await tool.getByRole('button', { name: 'Add to messages' }).click()
  await tool.getByLabel('role', { exact: true }).selectOption({ label: 'user' })
  await tool.getByLabel('content', { exact: true }).fill('call me by a tool')
  await expectAccessible(page)
  await tool.getByRole('button', { name: 'Call tool', exact: true }).click()
  const result = tool.getByRole('region', { name: 'Result' })
  await expect(result.getByText('Success', { exact: true })).toBeVisible()
  await expect(result).toContainText('call me by a tool')
  await expect(result.getByRole('tree', { name: 'Structured content' })).toBeVisible()
  const wire = tool.getByRole('region', { name: 'Raw exchange' })
  await wire.getByText('tools/call', { exact: true }).click()
  await expect(wire).toContainText('x-api-key: [redacted]')
  await expect(wire).toContainText('"method": "tools/call"')
  for (const kind of ['Prompts', 'Resources']) {
    await page.getByRole('tab', { name: kind }).click()
    await expect(page.getByText(`No ${kind.toLowerCase()}`)).toBeVisible()
    await expect(page.getByText(`The server does not list ${kind.toLowerCase()} among its capabilities.`)).toBeVisible()
  }
  await page.getByRole('tab', { name: 'Tools' }).click()
  await tool.getByRole('tab', { name: 'Input schema' }).click()
  await expect(tool.getByRole('region', { name: 'Fields' })).toContainText('messages')

  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/^Search, or type/).fill('A2A')
  await page.getByRole('option', { name: 'A2A', exact: true }).click()
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: name })
  await expect(page.getByRole('region', { name: 'Agent card' })).toContainText('streaming: yes')
  const console = page.getByRole('region', { name: 'Console' })
  await console.getByLabel('Message').fill('told by an agent')
  await console.getByRole('button', { name: 'Stream' }).click()
  const response = console.getByRole('region', { name: 'Response' })
  await expect(response.getByText('completed')).toBeVisible({ timeout: 15_000 })
  await expect(response).toContainText('told by an agent')
  await console.getByRole('button', { name: 'Read task' }).click()
  await expect(console.getByRole('region', { name: 'Raw exchange' })).toContainText('tasks/get')
  await expect(response.getByText('completed')).toBeVisible()
  const task = await console.getByRole('textbox', { name: 'Task ID' }).inputValue()
  await console.getByRole('button', { name: 'List tasks' }).click()
  const listed = console.getByRole('region', { name: 'Tasks' }).getByRole('button', { name: `completed ${task}` })
  await expect(listed).toHaveAttribute('aria-current', 'true')
  await expect(console.getByRole('region', { name: 'Raw exchange' })).toContainText('ListTasks')
  await console.getByRole('button', { name: 'Cancel task' }).click()
  await expect(console.getByRole('alert')).toContainText('The server returned an error')
  await expectAccessible(page)
  await ask('DELETE', `/assistants/${assistant_id}`)
})

test('on a small screen a tool is a sheet over the list, and closing it leads back to its row', async ({ page }) => {
  const { id } = await agentOf('concierge')
  await signIn(page, `/local/deployments/${id}/mcp`)
  await page.setViewportSize({ width: 390, height: 844 })
  const row = page.getByRole('region', { name: 'Tools' }).getByRole('button', { name: /^approval/ })
  const sheet = page.getByRole('region', { name: 'Details' })
  await expectSheet(page, row, sheet, () =>
    expect(sheet.getByRole('button', { name: 'Call tool', exact: true })).toBeVisible(),
  )
})

test('a server without the protocols says why they are missing, and hostile text stays text', async ({ page }) => {
  const agent = await startStubAgent(({ path, method, body }) => {
    if (path === '/info') return { body: { version: '1.0.0', flags: { a2a: false } } }
    if (path !== '/mcp/' || method !== 'POST') return undefined
    const { id, method: asked, params } = JSON.parse(body) as { id?: number; method: string; params?: { uri?: string } }
    const reply = (result: unknown) => ({ body: { jsonrpc: '2.0', id, result } })
    if (asked === 'prompts/get') return () => {} // never
    if (asked === 'initialize') return reply({ capabilities: { tools: {}, prompts: {}, resources: {} } })
    if (asked === 'prompts/list')
      return reply({ prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }] })
    if (asked === 'resources/list') return reply({ resources: [{ uri: 'file:///notes', name: 'Notes' }] })
    if (asked === 'resources/read') return reply({ contents: [{ uri: params?.uri, text: 'tea at four' }] })
    if (asked !== 'tools/list') return id ? reply({}) : { status: 202 }
    const description = '<img src=x onerror=alert(1)> [here](javascript:alert(1)) \u202eback'
    const tools = [{ name: 'odd\u200btool', description, inputSchema: { $ref: '#/nowhere' } }]
    return reply({ tools })
  })
  try {
    const workspace = await addAgentServer(page, { name: `bare ${test.info().retry}`, url: agent.url })
    await page.goto(`/${workspace}/deployments`)
    await page.getByRole('table').getByRole('link').first().click()
    await openPart(page, 'A2A')
    await expect(page.getByText('No A2A on this server')).toBeVisible()
    await expect(page.getByText('does not support A2A')).toBeVisible()
    await openPart(page, 'MCP')
    const tool = page.getByRole('region', { name: 'Tools' }).getByRole('button')
    await expect(tool).toContainText('<img src=x onerror=alert(1)>')
    await tool.click()
    await expect(page.getByRole('textbox', { name: 'Arguments as JSON' })).toBeVisible()
    await expect(page.locator('main img')).toHaveCount(0)

    await page.getByRole('tab', { name: 'Resources' }).click()
    await page.getByRole('region', { name: 'Resources' }).getByRole('button', { name: 'Notes' }).click()
    await page.getByRole('button', { name: 'Read resource', exact: true }).click()
    await expect(page.getByRole('region', { name: 'Result' })).toContainText('tea at four')
    await page.getByRole('tab', { name: 'Prompts' }).click()
    await page.getByRole('region', { name: 'Prompts' }).getByRole('button', { name: 'greet' }).click()
    const prompt = page.getByRole('region', { name: 'greet', exact: true })
    await prompt.getByLabel('who', { exact: true }).fill('the porter')
    await prompt.getByRole('button', { name: 'Get prompt' }).click()
    // It never responds: the page shows for how long, and waiting can be stopped.
    await expect(prompt.getByText(/Waiting for a response: 1\.\d s\. Times out after 10 minutes/)).toBeVisible()
    await expectAccessible(page)
    await prompt.getByRole('button', { name: 'Stop' }).click()
    await expect(prompt.getByText('Stopped waiting.')).toBeVisible()
  } finally {
    await agent.stop()
  }
})
