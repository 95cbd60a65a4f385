import { expect, test } from 'vitest'
import { createFixture } from './testing/platform-fixture'

test('a request during the start gets a response at once, with a time to retry', async () => {
  const fixture = await createFixture()
  const { url } = fixture.platform
  await fixture.platform.stop()
  const starting = fixture.start()
  const answers = new Set<string>()
  // 15 s: a request that nobody answers, not one that is slow.
  const ask = () =>
    fetch(`${url}/ok`, { signal: AbortSignal.timeout(15_000) }).then(
      ({ status, headers }) => `${status} ${headers.get('retry-after')}`,
      (error: Error) => (error.name === 'TimeoutError' ? 'held' : 'refused'),
    )
  for (let answer = ''; !answer.startsWith('200') && answer !== 'held'; ) {
    answer = await ask()
    answers.add(answer)
  }
  await starting
  await fixture.close()
  answers.delete('refused')
  expect([...answers]).toEqual(['503 1', '200 null'])
})
