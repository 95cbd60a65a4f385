import { describe, expect, test } from 'vitest'
import { anchorsAfter, anchorsBefore, type PageRequest, pageOf, SLACK, windowOf } from './anchored-page'

type Row = { id: string }
const rowsOf = (...ids: (string | number)[]): Row[] => ids.map((id) => ({ id: String(id) }))
const range = (from: number, to: number) => rowsOf(...Array.from({ length: to - from }, (_, index) => from + index))

/** A server's response for a page of these rows. */
function read(list: readonly Row[], wanted: PageRequest) {
  const { from, count } = windowOf(wanted)
  return pageOf(wanted, { from, rows: list.slice(from, from + count) })
}
const ids = ({ rows }: { rows: readonly Row[] }) => rows.map(({ id }) => id)
const next = (list: readonly Row[], page: { rows: Row[]; offset: number }, size: number) =>
  read(list, { offset: page.offset + size, size, after: anchorsAfter(page.rows) })

const fifty = range(0, 50)

test('a first page is cut by its offset and knows whether another one follows', () => {
  expect(read(fifty, { offset: 0, size: 20 })).toMatchObject({ offset: 0, hasNext: true, isLost: false })
  expect(read(fifty, { offset: 30, size: 20 })).toMatchObject({ offset: 30, hasNext: false })
  expect(read(fifty, { offset: 60, size: 20 })).toEqual({ rows: [], offset: 60, hasNext: false, isLost: false })
})

describe('the next page begins after the last row seen', () => {
  const first = read(fifty, { offset: 0, size: 20 })
  test.each<[string, Row[]]>([
    ['as it was', fifty],
    ['with rows that came in above', [...rowsOf('a', 'b', 'c'), ...fifty]],
    ['with rows that went away above', fifty.slice(7)],
    ['with the last row itself gone', fifty.filter(({ id }) => id !== '19')],
    ['with the last two gone', fifty.filter(({ id }) => id !== '19' && id !== '18')],
  ])('%s', (_, list) => {
    const page = next(list, first, 20)
    expect(ids(page)).toEqual(ids({ rows: range(20, 40) }))
    expect(page).toMatchObject({ isLost: false, hasNext: true })
  })

  test('also if so many rows were added that the window ends inside it', () => {
    const list = [...range(100, 125 + SLACK), ...fifty]
    const page = next(list, first, 20)
    expect(page).toMatchObject({ isLost: true })
    const near = next([...range(100, 105 + SLACK), ...fifty], first, 20)
    expect(near).toMatchObject({ isLost: false, hasNext: true })
    expect(ids(next([...range(100, 105 + SLACK), ...fifty], near, 20))[0]).toBe(String(20 + near.rows.length))
  })

  test('and is reported as lost if no such row follows', () => {
    expect(next([...range(100, 150 + SLACK), ...fifty], first, 20).isLost).toBe(true)
    expect(next(range(100, 200), first, 20)).toMatchObject({ isLost: true, offset: 20 })
  })
})

test('the previous page ends where the current one began', () => {
  const second = read(fifty, { offset: 20, size: 20 })
  for (const list of [fifty, [...rowsOf('a', 'b'), ...fifty], fifty.filter(({ id }) => id !== '20')])
    expect(ids(read(list, { offset: 0, size: 20, before: anchorsBefore(second.rows) }))).toEqual(
      ids({ rows: range(0, 20) }),
    )
  // Fewer rows than a page are left above, so the first page is shown in full.
  expect(ids(read(fifty.slice(15), { offset: 0, size: 20, before: anchorsBefore(second.rows) }))).toEqual(
    ids({ rows: range(15, 35) }),
  )
})

test('a row in two parts of a window is shown once', () => {
  const rows = [...range(0, 10), ...range(9, 15)]
  expect(ids(pageOf({ offset: 0, size: 20 }, { from: 0, rows }))).toEqual(ids({ rows: range(0, 15) }))
})

test('paging through a changing list shows each unchanged row exactly once', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  for (let round = 0; round < 200; round++) {
    let list = range(0, 120)
    const lasting = new Set(ids({ rows: list }))
    const seen: string[] = []
    let page = read(list, { offset: 0, size: 10 })
    for (let added = 0; ; ) {
      seen.push(...ids(page))
      if (!page.hasNext) break
      for (let change = random(5); change > 0; change--) {
        if (random(2)) list = [...rowsOf(`new-${round}-${added++}`), ...list]
        // Two neighbouring anchors never go at the same time, which is why there are three.
        else {
          const gone = list[random(list.length)]?.id ?? ''
          if (anchorsAfter(page.rows).includes(gone)) continue
          list = list.filter(({ id }) => id !== gone)
          lasting.delete(gone)
        }
      }
      page = next(list, page, 10)
      expect(page.isLost).toBe(false)
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect([...lasting].filter((id) => !seen.includes(id))).toEqual([])
  }
})
