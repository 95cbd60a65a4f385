import { symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { baseEnvironment } from '../kernel/env'
import { testFolder } from '../testing/test-folder'
import { readTypes } from './field-types'
import { readGraphConfig } from './graph-config'

const { path: folder, remove } = testFolder()
afterAll(remove)

/** What the log says of a graph in TypeScript. */
async function linesOf() {
  writeFileSync(path.join(folder, 'graph.json'), JSON.stringify({ graphs: { a: './a.ts:graph' } }))
  writeFileSync(path.join(folder, 'a.ts'), 'export const graph = 1')
  const lines: string[] = []
  const log = (_level: string, line: string) => void lines.push(line)
  const agentServerEntry = path.resolve('.build/agent-server.mjs')
  const signal = AbortSignal.timeout(20_000)
  const config = await readGraphConfig(folder, 'graph.json')
  await readTypes({ agentServerEntry, folder, env: baseEnvironment(), signal, log }, config)
  return lines
}

test('a source without a compiler is told in the log', async () => {
  expect(await linesOf()).toEqual([
    expect.stringMatching(/fields are not known: `typescript` is not among the packages/),
  ])
})

test('a compiler that programs cannot use is said in the log, not called a success', async () => {
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules')) // version 7
  expect(await linesOf()).toEqual([expect.stringMatching(/fields are not known: .*typescript of version 5 or 6/)])
})
