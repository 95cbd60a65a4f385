import { expect, test } from 'vitest'
import type { Rights } from '@/lib/contracts/wire/rights'
import { rightsInWords } from './rights-words'

const names = { a: 'concierge', b: 'researcher', c: 'assistant', d: 'tester', e: 'writer' }

test.each<[Rights, string]>([
  [{ role: 'viewer', deployments: {} }, 'Viewer'],
  [{ role: null, deployments: { a: 'developer' } }, 'Developer of concierge'],
  [{ role: null, deployments: { b: 'developer', a: 'developer' } }, 'Developer of concierge and researcher'],
  [{ role: null, deployments: { a: 'viewer', b: 'admin' } }, 'Admin of researcher; viewer of concierge'],
  [{ role: 'viewer', deployments: { a: 'developer' } }, 'Viewer; developer of concierge'],
  [
    { role: null, deployments: { a: 'viewer', b: 'viewer', c: 'viewer', d: 'viewer' } },
    'Viewer of assistant, concierge, researcher and tester',
  ],
  [
    { role: null, deployments: { a: 'viewer', b: 'viewer', c: 'viewer', d: 'viewer', e: 'viewer' } },
    'Viewer of assistant, concierge, researcher and 2 others',
  ],
  [{ role: null, deployments: { '0123456789': 'viewer' } }, 'Viewer of deployment 01234567'],
])('%j is %j', (rights, words) => {
  expect(rightsInWords(rights, names)).toBe(words)
})
