import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { lineOf, pagesOf, pruneTrail } from './prune'
import { recordIntent } from './trail'
import { checkTrail } from './verify'

let home: TestConsole
beforeEach(async () => {
  home = await testConsole()
})
afterEach(() => home.close())

const run = async (statement: ReturnType<typeof sql>) => (await db()).execute(statement)
const entry = {
  actor: { id: 'someone', email: '', kind: 'user' as const },
  role: 'admin' as const,
  workspace: 'staging',
  operation: 'updateDeployment',
  params: { note: 'a\u0000b' },
  fields: [],
  requestId: 'r',
}
const write = async (rows: number) => {
  for (let row = 0; row < rows; row += 1) await recordIntent(entry)
}
const soon = () => new Date(Date.now() + 1000)
const forged = (lines: string[], row: number) =>
  lines.map((line) => (line.includes(`"seq":${row},`) ? line.replace('someone', 'nobody') : line))
/** Prunes all rows that there are, and returns the export. */
async function prune(before = soon(), portion?: number, lines: string[] = []) {
  let isStored = false
  const pruned = await pruneTrail(
    before,
    {
      write: async (line) => void lines.push(line),
      done: async () => {
        isStored = true
        expect((await run(sql`select from console.audit`)).rowCount).toBeGreaterThanOrEqual(lines.length)
      },
    },
    { portion },
  )
  expect(isStored).toBe(lines.length > 0)
  return { ...pruned, lines }
}
const files = (...exports: string[][]) =>
  exports.map((lines, index) => ({ name: `${'ab'[index]}.jsonl`, lines: Readable.from(lines) }))

test('what is left is whole, and so is the export with it', async () => {
  await write(5)
  const first = await prune()
  expect(first).toMatchObject({ rows: 5, through: 5 })
  expect(await checkTrail()).toMatchObject({ isWhole: true, rows: 2, removed: 5, problems: [] })
  await write(3)
  const second = await prune()
  expect(second).toMatchObject({ rows: 5, through: 10 })
  await write(1)
  expect(await checkTrail()).toMatchObject({ isWhole: true, rows: 3, removed: 10, problems: [] })
  const whole = { isWhole: true, rows: 13, removed: 0, problems: [] }
  expect(await checkTrail([], files(first.lines, second.lines))).toMatchObject(whole)
  // In any order.
  expect(await checkTrail([], files(second.lines, first.lines))).toMatchObject(whole)
  expect(await checkTrail([], files(forged(first.lines, 3), second.lines))).toMatchObject({
    isWhole: false,
    problems: ['Row 3 was changed, inserted or moved.'],
  })
})

test('exports that overlap each other and the database are verified once, and each copy is', async () => {
  await write(5)
  const { lines } = await prune()
  await write(2)
  const stored = (await run(sql`select * from console.audit order by seq`)).rowCount ?? 0
  const all: string[] = [...lines]
  for await (const page of pagesOf(0)) all.push(...page.map(lineOf))
  const whole = { isWhole: true, rows: 5 + stored, problems: [] }
  expect(await checkTrail([], files(lines, lines))).toMatchObject(whole)
  expect(await checkTrail([], files(all, lines.slice(1)))).toMatchObject(whole)
  const problems = ['Row 3 was changed in b.jsonl; another copy of it is right.']
  expect(await checkTrail([], files(all, forged(lines, 3)))).toMatchObject({ isWhole: false, problems })
  expect(await checkTrail([], files(forged(lines, 3), all))).toMatchObject({
    problems: ['Row 3 was changed in a.jsonl; another copy of it is right.'],
  })
  expect(await checkTrail([], files(forged(all, 8)))).toMatchObject({
    problems: ['Row 8 was changed in a.jsonl; another copy of it is right.'],
  })
  await expect(checkTrail([], files(all, ['', '{"seq":']))).rejects.toThrow(
    'Line 2 of b.jsonl is not an entry of an audit trail.',
  )
})

test('rows go in portions, and an interruption between them leaves a trail that is whole and goes on', async () => {
  await write(5)
  await run(sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'the power failed'; end $$`)
  await run(sql`create trigger refuse before delete on console.audit for each row
    when (old.seq = 3) execute function refuse()`)
  const first: string[] = []
  await expect(prune(soon(), 2, first)).rejects.toThrow()
  expect(first).toHaveLength(5)
  expect(await checkTrail()).toMatchObject({ isWhole: true, removed: 2, problems: [] })
  expect(await checkTrail([], files(first))).toMatchObject({ isWhole: true, removed: 0, problems: [] })
  await run(sql`drop trigger refuse on console.audit`)
  const second = await prune(soon(), 2)
  expect(second.through).toBeGreaterThan(5)
  expect(await checkTrail()).toMatchObject({ isWhole: true, removed: second.through, problems: [] })
  expect(await checkTrail([], files(first, second.lines))).toMatchObject({ isWhole: true, removed: 0 })
})

test('rows that are removed in another way are still missing', async () => {
  await write(5)
  await prune()
  await write(3)
  await run(sql`delete from console.audit where seq <= 7`)
  expect((await checkTrail()).problems).toContain('Rows 1 to 7 are missing.')
})

test('a pruning row that was made up is not believed', async () => {
  await write(5)
  const mac = 'x'.repeat(43)
  await run(
    sql`update console.audit set operation = 'pruneAudit', params = ${JSON.stringify({ through: '2', mac })} where seq = 5`,
  )
  await run(sql`delete from console.audit where seq <= 2`)
  expect(await checkTrail()).toMatchObject({ isWhole: false })
})

test('nothing is removed from a trail that is not whole, or that has no row as old', async () => {
  await write(3)
  expect(await prune(new Date(0))).toMatchObject({ rows: 0, lines: [] })
  await run(sql`update console.audit set operation = 'other' where seq = 2`)
  await expect(prune()).rejects.toThrow('Row 2 was changed')
  expect((await run(sql`select from console.audit`)).rowCount).toBe(3)
})
