import { expect, test } from 'vitest'
import { readableRemote } from './git.mjs'

test.each([
  ['git@github.com:team/agent.git', 'https://github.com/team/agent.git'],
  ['ssh://git@example.com/team/agent.git', 'https://example.com/team/agent.git'],
  ['https://user:secret@example.com/team/agent.git', 'https://example.com/team/agent.git'],
  ['/srv/repositories/agent', '/srv/repositories/agent'],
])('the remote %s is read from %s', (remote, address) => {
  expect(readableRemote(remote)).toBe(address)
})
