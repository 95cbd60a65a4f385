import { startFaultProxy } from './support/fault-proxy'
import { SAMPLE_ID } from './support/sample-inputs'
import { expect, startChat, test } from './support/session'
import { send, startStubAgent } from './support/stub-agent'
import type { Reply } from './support/stub-upstream'
import { addAgentServer, agentServer } from './support/workspace'

test('after losing the agent server mid-stream, the page keeps the output, shows the problem and completes the reply', async ({
  page,
}) => {
  const { url, key } = await agentServer('concierge')
  const proxy = await startFaultProxy(url)
  try {
    await addAgentServer(page, { name: 'shaky', url: proxy.url, key })
    await startChat(page, 'Please tell me about the harbour.')
    const reply = page.getByRole('article', { name: 'AI message' }).last()
    await expect(reply).toContainText('concierge', { timeout: 20_000 })
    await proxy.set({ kind: 'down' })
    await expect(page.getByText('Reconnecting to the agent server')).toBeVisible()
    await expect(reply).toContainText('concierge')
    await expect(reply).not.toContainText('to the very end')
    await expect(page.getByRole('main').getByText(/cannot be reached/)).toHaveCount(0) // not a failure yet
    await proxy.set(null)
    await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
    await expect(reply).toContainText('thank you for listening to the very end.')
    await expect(reply).toHaveCount(1)
    await expect(page.getByText(/Output may be missing/)).toHaveCount(0) // the server kept the rest
    // What fails for one reason is said once, and read again with one press.
    await page.getByRole('link', { name: 'Open thread' }).click()
    const chat = page.getByRole('region', { name: 'Chat', exact: true })
    await expect(chat.getByRole('article', { name: 'AI message' }).last()).toContainText('to the very end.')
    await proxy.set({ kind: 'respond', status: 500, body: 'broken' })
    await page.reload()
    await expect(chat.getByRole('alert')).toContainText('status 500', { timeout: 20_000 })
    await expect(chat.getByRole('status', { name: 'Loading' })).toHaveCount(0)
    await expect(chat.getByRole('alert')).toHaveCount(1)
    await proxy.set(null)
    await chat.getByRole('button', { name: 'Try again' }).click()
    await expect(chat.getByRole('alert')).toHaveCount(0)
  } finally {
    await proxy.stop()
  }
})

test('a broken stream without replay shows its gap once, and the full reply is read afterwards', async ({ page }) => {
  const part = (content: string): [string, unknown] => [
    'messages',
    [{ type: 'AIMessageChunk', id: 'reply', content }, { langgraph_node: 'model' }],
  ]
  const run = { run_id: SAMPLE_ID, thread_id: SAMPLE_ID, assistant_id: SAMPLE_ID }
  let status = 'running'
  let text = 'One, two,'
  const stub = await startStubAgent(({ method, path }): Reply | undefined => {
    if (method === 'POST' && path.endsWith('/runs/stream'))
      return (response) => {
        send(response, ['metadata', run], part('One, '), part('two,'))
        setTimeout(() => {
          text = 'One, two, three, four.'
          response.socket?.resetAndDestroy()
        }, 1_000)
      }
    if (path.includes('/stream'))
      return (response) => {
        send(response, ['metadata', run])
        status = 'success'
        response.end()
      }
    if (path.endsWith(`/runs/${SAMPLE_ID}`)) return { body: { ...run, status } }
    if (path.endsWith('/state'))
      return { body: { values: { messages: [{ type: 'ai', id: 'reply', content: text }] }, next: [] } }
    return undefined
  })
  try {
    await addAgentServer(page, { name: 'forgetful', url: stub.url })
    await startChat(page, 'Count.')
    const reply = page.getByRole('article', { name: 'AI message' })
    await expect(reply).toContainText('One, two,')
    await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 20_000 })
    await expect(page.getByText(/Output may be missing/)).toHaveCount(1)
    await expect(reply).toHaveCount(1)
    await expect(reply).toContainText('One, two, three, four.')
    await page.reload()
    await expect(page.getByText(/Output may be missing/)).toHaveCount(1)
    await expect(reply).toContainText('One, two, three, four.')
  } finally {
    await stub.stop()
  }
})
