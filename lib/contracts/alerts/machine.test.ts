import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { initialMachine, type Machine, type MachineSettings, type Reading, step } from './machine'

const settings: MachineSettings = { fireMs: 60_000, resolveMs: 30_000, gapMs: 20_000 }
type Look = { reading: Reading; after: number }
const looks = fc.array(
  fc.record({
    reading: fc.constantFrom<Reading>('bad', 'near', 'good', 'unknown'),
    // Usual looks, late ones and those of clocks that went back.
    after: fc.oneof({ weight: 5, arbitrary: fc.constant(15_000) }, fc.integer({ min: -5_000, max: 90_000 })),
  }),
  { maxLength: 60 },
)
const mostlyBad = fc.array(
  fc.record({
    reading: fc.constantFrom<Reading>('bad', 'bad', 'bad', 'bad', 'good', 'unknown'),
    after: fc.constant(15_000),
  }),
  { maxLength: 60 },
)

/** Every step of a run, with what was before it. */
function trace(all: readonly Look[], given = settings) {
  let machine = initialMachine(0)
  let now = 0
  return all.map(({ reading, after }) => {
    now += after
    const before: Machine = machine
    const next = step(machine, reading, now, given)
    machine = next.machine
    return { before, ...next, reading, now }
  })
}
const each = (check: (steps: ReturnType<typeof trace>) => void) =>
  fc.assert(
    fc.property(fc.oneof(looks, mostlyBad), (all) => check(trace(all))),
    { numRuns: 500 },
  )

describe('an alert', () => {
  test('fires after its time and is resolved after the margin', () => {
    const at = (reading: Reading, times: number) => Array.from({ length: times }, () => ({ reading, after: 15_000 }))
    const events = (all: Look[]) => trace(all).map(({ machine, event }) => event ?? machine.phase)
    expect(events([...at('bad', 6), ...at('good', 4)])).toEqual([
      ...['pending', 'pending', 'pending', 'pending', 'fired', 'firing'],
      ...['firing', 'firing', 'resolved', 'ok'],
    ])
    expect(events([...at('bad', 4), ...at('good', 1), ...at('bad', 4)]).slice(4)).toEqual([
      ...['ok', 'pending', 'pending', 'pending', 'pending'],
    ])
  })

  test('fires at once without a time', () => {
    expect(trace([{ reading: 'bad', after: 0 }], { ...settings, fireMs: 0 })[0]).toMatchObject({ event: 'fired' })
  })

  test('counts looks that are as far apart as they may be, and none after a longer gap or with a clock that went back', () => {
    const held = (...after: number[]) => {
      const all = [
        { reading: 'bad' as const, after: 0 },
        ...after.map((one) => ({ reading: 'bad' as const, after: one })),
      ]
      return trace(all).at(-1)?.machine.heldMs
    }
    expect(held(20_000)).toBe(20_000)
    expect(held(20_001)).toBe(0)
    expect(held(15_000, -5_000)).toBe(15_000)
    expect(held(15_000, 0, 15_000)).toBe(30_000)
  })

  test('is since its phase began, however often it is looked at', () => {
    const looks = ['good', 'good', 'bad', 'bad', 'near', 'good'] as const
    const since = trace(looks.map((reading) => ({ reading, after: 15_000 }))).map(({ machine }) => machine.since)
    expect(since).toEqual([0, 0, 45_000, 45_000, 75_000, 75_000])
  })

  test('that swings around its bound stays as it is', () => {
    const swing = Array.from({ length: 40 }, (_, index) => ({
      reading: (index < 6 ? 'bad' : index % 2 ? 'bad' : 'near') as Reading,
      after: 15_000,
    }))
    expect(trace(swing).filter(({ event }) => event)).toMatchObject([{ event: 'fired' }])
  })

  test('is never changed by what is unknown', () =>
    each((steps) => {
      for (const { before, machine, event, reading } of steps)
        if (reading === 'unknown')
          expect([machine.phase, event, machine.heldMs]).toEqual([before.phase, undefined, before.heldMs])
    }))

  test('fires and resolves in turns, and only on a fitting reading', () =>
    each((steps) => {
      const events = steps.flatMap(({ event }) => event ?? [])
      expect(events).toEqual(events.map((_, index) => (index % 2 ? 'resolved' : 'fired')))
      for (const { event, reading, machine } of steps)
        if (event) expect([reading, machine.phase]).toEqual(event === 'fired' ? ['bad', 'firing'] : ['good', 'ok'])
    }))

  test('fires only after it was seen to be bad long enough, without a break', () =>
    each((steps) => {
      for (const [index, { event }] of steps.entries()) {
        if (event !== 'fired') continue
        let seen = 0
        for (let at = index; at > 0; at -= 1) {
          const [one, earlier] = [steps[at] as (typeof steps)[number], steps[at - 1] as (typeof steps)[number]]
          if (earlier.reading === 'good' || earlier.reading === 'near' || earlier.event) break
          const elapsed = one.now - earlier.now
          if (one.reading === 'bad' && earlier.reading === 'bad' && elapsed >= 0 && elapsed <= settings.gapMs)
            seen += elapsed
        }
        expect(seen).toBeGreaterThanOrEqual(settings.fireMs)
      }
    }))

  test('resolves only after it was seen to be good long enough', () =>
    each((steps) => {
      for (const { event, before, now } of steps)
        if (event === 'resolved')
          expect(before.heldMs + Math.min(now - before.at, settings.gapMs)).toBeGreaterThanOrEqual(settings.resolveMs)
    }))
})
