import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { pruneTrail } from './prune'
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
/** Prunes all rows that there are, and returns the export. */
async function prune(before = soon()) {
  const lines: string[] = []
  let isStored = false
  const pruned = await pruneTrail(before, {
    write: async (line) => void lines.push(line),
    done: async () => {
      isStored = true
      expect((await run(sql`select from console.audit`)).rowCount).toBeGreaterThanOrEqual(lines.length)
    },
  })
  expect(isStored).toBe(lines.length > 0)
  return { ...pruned, lines }
}
async function* lines(...texts: string[]) {
  yield* texts
}

test('what is left is whole, and so is the export with it', async () => {
  await write(5)
  const first = await prune()
  expect(first).toMatchObject({ rows: 5, through: 5 })
  expect(await checkTrail()).toMatchObject({ isWhole: true, rows: 2, prunedThrough: 5, problems: [] })
  await write(3)
  const second = await prune()
  expect(second).toMatchObject({ rows: 5, through: 10 })
  await write(1)
  expect(await checkTrail()).toMatchObject({ isWhole: true, rows: 3, prunedThrough: 10, problems: [] })
  const exported = [...first.lines, ...second.lines]
  expect(await checkTrail([], lines(...exported))).toMatchObject({ isWhole: true, rows: 13, prunedThrough: 0 })
  const forged = exported.map((line, index) => (index === 2 ? line.replace('someone', 'nobody') : line))
  expect(await checkTrail([], lines(...forged))).toMatchObject({
    isWhole: false,
    problems: ['Row 3 was changed, inserted or moved.'],
  })
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
