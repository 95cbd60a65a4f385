import http from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createReplicaClient } from './replica-client.mjs'

test('a thread stream that sends the end of a run twice shows it', async () => {
  const server = http.createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [id, run] of ['a', 'b', 'a'].entries())
      response.write(`id: ${id}\nevent: end\ndata: ${JSON.stringify({ run_id: run })}\n\n`)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const stream = createReplicaClient(() => [`http://127.0.0.1:${port}`]).followThread('thread')
  await expect.poll(stream.ended).toEqual(['a', 'b', 'a'])
  stream.close()
})
