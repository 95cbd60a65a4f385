import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import { changeOwnPassword, checkPassword } from '../access/accounts'
import { roleOf } from '../access/actor'
import { adoptStore, db, openStore } from '../process/db'
import { log } from '../process/log'
import { actorOf, type TestConsole, testConsole } from '../testing'
import { ensureFirstAdmin } from './first-run'
import { readinessProblems } from './readiness'

vi.unmock('../process/log')

let home: TestConsole
const noteFile = () => path.join(home.dataDir, 'first-sign-in.txt')
/** As another process would, with nothing in memory. */
const again = () => {
  Reflect.deleteProperty(globalThis, 'pilothouseFirstAdmin')
  return ensureFirstAdmin()
}

beforeEach(async () => {
  home = await testConsole()
})
afterEach(async () => {
  await home.close()
})

test('four starts at once create one admin, whose password is in a file that others cannot read', async () => {
  await Promise.all([again(), again(), again(), again()])
  await again()
  expect((await (await db()).execute(sql`select count(*)::int as n from console.accounts`)).rows).toEqual([{ n: 1 }])
  const note = readFileSync(noteFile(), 'utf8')
  expect(statSync(noteFile()).mode & 0o777).toBe(0o600)
  const [, email, password] =
    /^Address: {2}http:\/\/localhost:3000\nEmail: {4}(\S+)\nPassword: (\S+)\n$/.exec(note) ?? []
  expect(email).toBe('admin@pilothouse.local')
  const account = await checkPassword(email, password, 'test')
  expect(account).toMatchObject({ hasInitialPassword: true })
  if (account) {
    expect(await roleOf(actorOf(account), 'any-workspace')).toBeNull()
    const changed = await changeOwnPassword(account.id, password ?? '', 'a password of my own')
    expect(await roleOf(actorOf(changed), 'any-workspace')).toBe('admin')
  }
  expect(readdirSync(home.dataDir).filter((name) => name.startsWith('first'))).toEqual(['first-sign-in.txt'])
})

test('the password does not appear in the log', async () => {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  await again()
  const logged = out.mock.calls.join('')
  out.mockRestore()
  expect(logged).toContain('first_admin.made')
  expect(logged).not.toContain(/Password: (\S+)/.exec(readFileSync(noteFile(), 'utf8'))?.[1])
})

test('with an admin from the environment, no file contains the password', async () => {
  writeFileSync(noteFile(), 'of an earlier database')
  home.set({ PILOTHOUSE_ADMIN_EMAIL: 'Boss@Example.com', PILOTHOUSE_ADMIN_PASSWORD: 'given by the environment' })
  await again()
  const account = await checkPassword('boss@example.com', 'given by the environment', 'test')
  expect(account).toMatchObject({ email: 'boss@example.com' })
  expect(account).not.toHaveProperty('hasInitialPassword') // the operator chose it
  expect(existsSync(noteFile())).toBe(false)
})

test('a common password in the environment is refused, and readiness says so', async () => {
  home.set({ PILOTHOUSE_ADMIN_PASSWORD: 'Password1234' })
  Reflect.deleteProperty(globalThis, 'pilothouseFirstAdmin')
  expect(await readinessProblems()).toEqual([expect.stringContaining('PILOTHOUSE_ADMIN_PASSWORD is common')])
  home.set({ PILOTHOUSE_ADMIN_PASSWORD: 'given by the environment' })
  expect(await readinessProblems()).toEqual([])
})

test("a later password in the environment changes nothing, because the console's administrators decide", async () => {
  await again()
  home.set({ PILOTHOUSE_ADMIN_PASSWORD: 'given by the environment' })
  await again()
  expect(await checkPassword('admin@pilothouse.local', 'given by the environment', 'test')).toBeNull()
})

test('a note from a backup of another machine names the address of this start', async () => {
  await again()
  const note = readFileSync(noteFile(), 'utf8')
  home.set({ NEXTAUTH_URL: 'https://new.example.com' })
  await again()
  expect(readFileSync(noteFile(), 'utf8')).toBe(note.replace('http://localhost:3000', 'https://new.example.com'))
  expect(statSync(noteFile()).mode & 0o777).toBe(0o600)
  rmSync(noteFile())
  await again()
  expect(existsSync(noteFile())).toBe(false)
})

test('a new database is migrated by four processes at once', async () => {
  const fresh = await testDatabase()
  const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(fresh.url, { connections: 1 })))
  for (const store of stores) {
    expect((await store.db.execute(sql`select count(*)::int as n from console.accounts`)).rows).toEqual([{ n: 0 }])
    await store.close()
  }
  await fresh.drop()
})

test('the console is ready once its store responds and an account can sign in, and otherwise reports what is missing', async () => {
  expect(await readinessProblems()).toEqual([])
  await adoptStore('postgres://nobody@127.0.0.1:1/none')
  expect(await readinessProblems()).toEqual(['The database is unreachable, or could not be migrated.'])
  const wrong = new URL(home.databaseUrl)
  wrong.password = 'wrong'
  await adoptStore(wrong.href)
  expect(await readinessProblems()).toEqual(['The database does not accept the user or password of DATABASE_URL.'])
  await adoptStore(home.databaseUrl)
  expect(await readinessProblems()).toEqual([])
})

test('a second instance with another sealing key is not ready, says which setting to change, and logs it once', async () => {
  const error = vi.spyOn(log, 'error').mockReturnValue()
  home.set({ PILOTHOUSE_SEALING_KEY: 'first key of thirty-two characters' })
  expect(await readinessProblems()).toEqual([])
  for (let round = 0; round < 2; round += 1) {
    home.set({ PILOTHOUSE_SEALING_KEY: 'other key of thirty-two characters' })
    for (let probe = 0; probe < 3; probe += 1)
      expect(await readinessProblems()).toEqual([expect.stringMatching(/another sealing key.*PILOTHOUSE_SEALING_KEY/)])
    expect(error.mock.calls.map(([event]) => event)).toEqual(Array(round + 1).fill('audit.sealed_with_another_key'))
    home.set({ PILOTHOUSE_SEALING_KEY: 'first key of thirty-two characters' })
    expect(await readinessProblems()).toEqual([])
  }
})
