import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('the server that we use keeps the time of its skeleton where the early script takes it away', () => {
  const server = readFileSync('node_modules/next/dist/compiled/next-server/app-page-turbo.runtime.prod.js', 'utf8')
  expect(server).toContain('"number"!==typeof $RT?requestAnimationFrame(')
})
