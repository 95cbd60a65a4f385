import { expect, test } from 'vitest'
import type { Change } from '@/lib/contracts/deployments/changes'
import { secretChangesSince } from './secret-changes'

const at = (minute: number) => `2026-11-25T12:${String(minute).padStart(2, '0')}:00.000Z`
const change = (minute: number, fields: string[], more: Partial<Change> = {}): Change => ({
  ...{ seq: minute, at: at(minute), until: at(minute), who: 'ada', operation: 'updateDeployment' as const },
  ...{ revision: null, fields, isDone: true, ...more },
})

test('the last change of each secret after a time is named, with who made it', () => {
  const changes = [
    change(1, ['secrets.set.BEFORE']),
    change(3, ['secrets.set.A', 'secrets.remove.B']),
    change(5, ['secrets.remove.A', 'resource_spec'], { who: 'ben' }),
    change(6, ['secrets.renamed-from.C', 'secrets.renamed-to.D']),
    change(7, ['secrets.set.FAILED'], { isDone: false }),
    change(8, ['secrets.set.OTHER'], { operation: 'redeployRevision' }),
  ]
  expect(secretChangesSince(changes, at(2))?.map(({ verb, name, who }) => `${who} ${verb} ${name}`)).toEqual([
    'ada renamed C',
    'ada renamed D',
    'ben removed A',
    'ada removed B',
  ])
  expect(secretChangesSince(changes, at(6))).toEqual([])
})

test('hidden names are told from no change', () => {
  expect(secretChangesSince([change(3, ['secrets'])], at(2))).toBeNull()
  expect(secretChangesSince([change(1, ['secrets'])], at(2))).toEqual([])
})
