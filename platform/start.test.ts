import { expect, test } from 'vitest'
import { createFixture } from './testing/platform-fixture'

test('a request during the start gets a response at once, with a time to retry', async () => {
  const fixture = await createFixture()
  const { url } = fixture.platform
  await fixture.platform.stop()
  const starting = fixture.start()
  const responses = new Set<string>()
  // 15 s: a request without a response, not one that is slow.
  const ask = () =>
    fetch(`${url}/ok`, { signal: AbortSignal.timeout(15_000) }).then(
      ({ status, headers }) => `${status} ${headers.get('retry-after')}`,
      (error: Error) => (error.name === 'TimeoutError' ? 'held' : 'refused'),
    )
  for (let response = ''; !response.startsWith('200') && response !== 'held'; ) {
    response = await ask()
    responses.add(response)
  }
  await starting
  await fixture.close()
  responses.delete('refused')
  expect([...responses]).toEqual(['503 1', '200 null'])
})
