import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError } from '@/lib/errors'
import { adoptEnv } from '../process/env'
import { checkPatch } from './checked-patch'

// Values are compared by keyed fingerprints, so a key is needed. No database is used.
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-console-'))
beforeAll(() => {
  adoptEnv({ DATABASE_URL: 'postgres://nowhere.invalid/x', PILOTHOUSE_DATA: dataDir, NEXTAUTH_SECRET: 'x'.repeat(32) })
})
afterAll(() => {
  adoptEnv(undefined)
  rmSync(dataDir, { recursive: true, force: true })
})

const patchOf = (sidecars: object[], more: object = {}) => ({ source_config: { resource_spec: { sidecars, ...more } } })
const [first, second] = [
  { name: 'a', image: 'i' },
  { name: 'b', image: 'i', ports: [{ containerPort: 1 }] },
]

test.each([
  ['stays where it was', patchOf([first, second])],
  ['has moved', patchOf([second, first])],
  ['is the only one left', patchOf([second])],
])('an unknown field is sent back when its item %s', (_, body) => {
  expect(() => checkPatch(body, patchOf([first, second], { cpu: 1 }))).not.toThrow()
})

test.each([
  ['with another value', patchOf([first, { ...second, ports: [] }])],
  ['that is new', patchOf([{ ...first, probe: 1 }, second])],
  ['in a list that did not exist', { source_config: { resource_spec: { init_containers: [second] } } }],
])('an unknown field is refused %s', (_, body) => {
  expect(() => checkPatch(body, patchOf([first, second]))).toThrow(AppError)
})
