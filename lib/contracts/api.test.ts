import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agentServer } from './agent-server'
import { agentServerSchemas } from './agent-server.schemas'
import { controlPlane } from './control-plane'
import { controlPlaneSchemas } from './control-plane.schemas'
import { traces } from './traces'
import { tracesSchemas } from './traces.schemas'
import { type ApiTable, buildPath, buildQuery, isAtLeast, matchRow, type Operation, ROLES } from './wire/api'

const APIS = [
  { api: 'control-plane', table: controlPlane, schemas: controlPlaneSchemas },
  { api: 'agent-server', table: agentServer, schemas: agentServerSchemas },
  { api: 'traces', table: traces, schemas: tracesSchemas },
] as { api: string; table: ApiTable; schemas: Record<string, object> }[]
const ROWS = APIS.flatMap(({ table }) => Object.values(table).map((row) => ({ row, table })))

const placesOf = (row: Operation) => row.path.split('/').filter(Boolean)
const namesOf = (row: Operation) => [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
const shapeOf = (row: Operation) => `${row.method} ${row.path.replace(/\{\w+\}/g, '{}').replace(/\/$/, '')}`

/** Path segments as a relay or server has them: without the query, each decoded. */
const segmentsOf = (path: string) => (path.split('?')[0] as string).split('/').filter(Boolean).map(decodeURIComponent)

const isWellFormed = (text: string) => !/\p{Cs}/u.test(text)
const isUsable = (value: string) => value !== '' && value !== '.' && value !== '..' && isWellFormed(value)
const param = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.uuid(),
    fc.constantFrom(
      'a/b',
      '../..',
      '%2e%2e',
      '%2F',
      '?x=1',
      '#',
      'a b',
      '..;',
      '\\',
      'ü',
      '😀',
      '__proto__',
      'search',
      'constructor',
    ),
  )
  .filter(isUsable)

describe('the three tables', () => {
  test.each(APIS)('$api: rows and schemas have the same keys', ({ table, schemas }) => {
    expect(Object.keys(schemas).sort()).toEqual(Object.keys(table).sort())
  })

  test.each(APIS)('$api: rows contain their own name and API', ({ api, table }) => {
    for (const [id, row] of Object.entries(table)) expect(row).toMatchObject({ id, api })
  })

  test.each(APIS)('$api: no two rows match one request', ({ table }) => {
    const shapes = Object.values(table).map(shapeOf)
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([])
  })

  test.each(APIS)('$api: only a POST, PUT or PATCH has a body', ({ table, schemas }) => {
    const withBody = Object.entries(schemas).filter(([, one]) => 'body' in one)
    // The store's delete names its item in a body, because servers require it.
    const wrong = withBody.filter(([id]) => ['GET', 'DELETE'].includes(table[id]?.method ?? '') && id !== 'deleteItem')
    expect(wrong.map(([id]) => id)).toEqual([])
  })

  test('a GET never writes', () => {
    expect(ROWS.filter(({ row }) => row.method === 'GET' && row.effect !== 'read')).toEqual([])
  })
})

describe('a path', () => {
  test.each(ROWS)('$row.api $row.id: with any parameters, it resolves to its row and to them', ({ row, table }) => {
    fc.assert(
      fc.property(fc.tuple(...namesOf(row).map(() => param)), (values) => {
        const params = Object.fromEntries(namesOf(row).map((name, index) => [name, values[index] as string]))
        const match = matchRow(table, row.method, segmentsOf(buildPath(row, params)))
        // A parameter may equal a literal of another row (`search` as an id); then that row is the better match.
        if (match?.row.id !== row.id) {
          expect(values.some((value) => placesOf(match?.row as Operation).includes(value))).toBe(true)
          return
        }
        expect(match.params).toEqual(params)
      }),
      { numRuns: 40 },
    )
  })

  test.each(ROWS)(
    '$row.api $row.id: never leaves its template, even after a URL parser has normalised it',
    ({ row }) => {
      fc.assert(
        fc.property(fc.tuple(...namesOf(row).map(() => param)), (values) => {
          const params = Object.fromEntries(namesOf(row).map((name, index) => [name, values[index] as string]))
          const url = new URL(buildPath(row, params), 'http://host.invalid')
          expect(url.host + url.search + url.hash).toBe('host.invalid')
          const given = url.pathname.split('/').filter(Boolean)
          const places = placesOf(row)
          expect(given).toHaveLength(places.length)
          for (const [index, place] of places.entries()) if (!place.startsWith('{')) expect(given[index]).toBe(place)
        }),
        { numRuns: 40 },
      )
    },
  )

  test.each(['.', '..', '', '\ud800', 'a\udc00b'])('refuses the parameter %j', (value) => {
    expect(() => buildPath(controlPlane.getDeployment, { deployment_id: value })).toThrow(TypeError)
  })

  test('refuses a missing parameter, and one that exists only on the prototype', () => {
    expect(() => buildPath({ path: '/a/{constructor}' }, {})).toThrow(TypeError)
    expect(() => buildPath(controlPlane.getDeployment)).toThrow(TypeError)
  })

  test('ends with the query', () => {
    const path = buildPath(
      controlPlane.getDeployment,
      { deployment_id: 'a?b' },
      { x: ['1', '2'], y: null, z: { a: 1 }, w: false },
    )
    expect(path).toBe('/v2/deployments/a%3Fb?x=1&x=2&z=%7B%22a%22%3A1%7D&w=false')
  })

  test('a query with any text survives a round trip', () => {
    const text = fc.string({ unit: 'binary' }).filter((value) => isWellFormed(value))
    fc.assert(
      fc.property(fc.dictionary(text, text), (query) => {
        expect(Object.fromEntries(new URLSearchParams(buildQuery(query)))).toEqual({ ...query })
      }),
    )
  })
})

describe('matching', () => {
  test.each([['.'], ['..'], ['']])('no row accepts the segment %j', (segment) => {
    expect(matchRow(controlPlane, 'GET', ['v2', 'deployments', segment])).toBeUndefined()
  })

  test('a literal takes precedence over a parameter', () => {
    expect(matchRow(agentServer, 'POST', ['runs', 'crons', 'search'])?.row.id).toBe('searchCrons')
    expect(matchRow(agentServer, 'GET', ['runs', 'crons', 'stream'])?.row.id).toBe('getCron')
    expect(matchRow(agentServer, 'POST', ['threads', 't', 'runs', 'crons'])?.row.id).toBe('createThreadCron')
    expect(matchRow(agentServer, 'POST', ['threads', 't', 'state', 'checkpoint'])?.row.id).toBe(
      'getThreadStateAtCheckpoint',
    )
  })

  test('another method, or a longer or shorter path, matches nothing', () => {
    expect(matchRow(controlPlane, 'PUT', ['v2', 'deployments'])).toBeUndefined()
    expect(matchRow(controlPlane, 'GET', ['v2', 'deployments', 'a', 'b', 'c', 'd', 'e'])).toBeUndefined()
    expect(matchRow(controlPlane, 'GET', ['v2'])).toBeUndefined()
  })
})

test('each role may do everything that lower roles may', () => {
  for (const [have, has] of ROLES.entries())
    for (const [need, needs] of ROLES.entries()) expect(isAtLeast(has, needs)).toBe(have >= need)
})
