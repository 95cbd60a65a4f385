import { expect, test } from 'vitest'
import { root } from '../bootstrap.mjs'
import { licencesOf } from './licences.mjs'

test('the licences of packages that come bundled are all there, once each', () => {
  const text = licencesOf(root)
  for (const name of ['@kubernetes/client-node', '@langchain/core', 'next', 'react', 'undici', 'busboy'])
    expect(text).toMatch(new RegExp(`(^|, )${name}( \\d|,|$)`, 'm'))
  expect(text).not.toMatch(/(^|, )vitest \d/m)
  expect(text.split('TERMS AND CONDITIONS FOR USE, REPRODUCTION').length).toBeLessThan(20)
})
