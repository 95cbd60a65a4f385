import { SAMPLE_ID } from './support/sample-inputs'
import { expect, openDeployment, test } from './support/session'
import { startStubAgent } from './support/stub-agent'
import { addAgentServer } from './support/workspace'

const nobody = '00000000-0000-4000-8000-000000000000'

test('fields rejected by the agent server are shown at their part of the form, others above the button', async ({
  page,
}) => {
  const detail = [
    { type: 'missing', loc: ['body', 'assistant_id'], msg: 'No such assistant here' },
    { type: 'list_type', loc: ['body', 'input', 'messages', 0, 'content'], msg: 'Too friendly a greeting' },
    { type: 'enum', loc: ['body', 'multitask_strategy'], msg: 'Not while it rains' },
    { type: 'extra', loc: ['body', 'stream_resumable'], msg: 'Nothing is kept here' },
  ]
  const stub = await startStubAgent(({ path }) =>
    path.endsWith('/runs/stream') ? { status: 422, body: { detail } } : undefined,
  )
  try {
    await addAgentServer(page, { name: 'strict', url: stub.url })
    await page.getByRole('link', { name: 'Start a run' }).first().click()
    const message = page.getByLabel('Message', { exact: true }).last()
    await message.fill('Hello, dear.')
    await page.getByRole('button', { name: 'Start run' }).click()
    // Linked to the control, so that screen readers announce it there.
    await expect(page.getByRole('combobox', { name: 'Assistant' })).toHaveAccessibleDescription(
      /No such assistant here/,
    )
    await expect(page.getByRole('combobox', { name: 'Assistant' })).toBeFocused()
    await expect(message).toHaveAccessibleDescription(/messages\[0\]\.content Too friendly a greeting/)
    await expect(page.getByRole('group', { name: 'If the thread is busy' })).toContainText('Not while it rains')
    const above = page.getByRole('alert').filter({ hasText: 'stream_resumable' })
    await expect(above).toContainText('Nothing is kept here')
    for (const { msg } of detail) await expect(page.getByText(msg)).toHaveCount(1)
    await expect(message).toHaveValue('Hello, dear.')

    const button = await page.getByRole('button', { name: 'Start run' }).boundingBox()
    const notice = await above.boundingBox()
    expect((notice?.y ?? 0) + (notice?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0)
  } finally {
    await stub.stop()
  }
})

test('an assistant whose graph no longer exists on the server is reported at the assistant field', async ({ page }) => {
  const stub = await startStubAgent(({ path }) =>
    path.endsWith('/runs/stream')
      ? { status: 404, body: { detail: "Graph 'chat' not found. The deployment no longer has it." } }
      : undefined,
  )
  try {
    await addAgentServer(page, { name: 'changed', url: stub.url })
    await page.goto(`${new URL(page.url()).pathname}/runs/new?assistant=${SAMPLE_ID}`)
    await page.getByLabel('Message', { exact: true }).last().fill('Are you there?')
    await page.getByRole('button', { name: 'Start run' }).click()
    await expect(page.getByRole('combobox', { name: 'Assistant' })).toHaveAccessibleDescription(
      /Graph 'chat' not found/,
    )
    await expect(page.getByText(/Graph 'chat' not found/)).toHaveCount(1)
    await expect(page.getByLabel('Message', { exact: true }).last()).toHaveValue('Are you there?')
  } finally {
    await stub.stop()
  }
})

test('an assistant and a thread unknown to a real server are reported at their fields', async ({ page }) => {
  await openDeployment(page, 'concierge')
  const deploymentId = new URL(page.url()).pathname
  // The editor is loaded on demand and replaces a plain text field.
  const input = page.locator('.cm-content[role=textbox]').and(page.getByRole('textbox', { name: 'Input as JSON' }))
  await page.goto(`${deploymentId}/runs/new?assistant=no-such-graph`)
  await expect(page.getByRole('combobox', { name: 'Assistant' })).toHaveValue('no-such-graph')
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  await input.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('{"messages": []}')
  await page.getByRole('button', { name: 'Start run' }).click()
  await expect(page.getByRole('combobox', { name: 'Assistant' })).toHaveAccessibleDescription(/no-such-graph/)
  await expect(input).toContainText('{"messages": []}')

  await page.goto(`${deploymentId}/runs/new?thread=${nobody}`)
  await page.getByLabel('Message', { exact: true }).last().fill('Still there?')
  await page.getByRole('button', { name: 'Start run' }).click()
  await expect(page.getByLabel('Thread ID')).toHaveAccessibleDescription(/not found|no thread|does not exist/i)
  await expect(page.getByRole('alert').filter({ hasText: /thread/i })).toHaveCount(1)
  await expect(page.getByLabel('Message', { exact: true }).last()).toHaveValue('Still there?')
})

test('a missing record shows a single message on a working page', async ({ page }) => {
  await openDeployment(page, 'concierge')
  const deploymentId = new URL(page.url()).pathname
  for (const path of [
    `/local/deployments/${nobody}`,
    `${deploymentId}/threads/${nobody}`,
    `${deploymentId}/threads/no-such-thread`,
    `${deploymentId}/runs/${nobody}`,
    `${deploymentId}/runs/no-such-run`,
    `${deploymentId}/no-such-page`,
    '/local/no-such-page',
    '/nowhere/deployments',
  ]) {
    await page.goto(path)
    await expect(page.getByText('Not found', { exact: true }), path).toHaveCount(1)
    await expect(page.getByRole('link', { name: 'Go to the home page' }), path).toBeVisible()
    await expect(page.locator('main [role=alert]'), path).toHaveCount(0)
    const navigation = page.getByRole('navigation', { name: 'Main' })
    if (path.startsWith('/local')) await expect(navigation, path).toBeVisible()
  }
})
