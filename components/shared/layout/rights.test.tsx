import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { SelectionBar } from '@/components/shared/list/selection-bar'
import { useSelection } from '@/components/shared/list/use-selection'
import { Button } from '@/components/ui/button'
import { Rights, RightsAt, useAdministerReason, useReasons, useRunReason } from './rights'

afterEach(cleanup)

const ROWS = [
  { id: 'one', name: 'Run one', deployment: 'mine' },
  { id: 'two', name: 'Run two', deployment: 'theirs' },
]

/** A list of the workspace with an action on the selected rows, and an action on one deployment. */
function List() {
  const selection = useSelection(ROWS, '')
  const reason = useRunReason(selection.selected.map(({ deployment }) => deployment))
  return (
    <>
      {ROWS.map(({ id, name }) => (
        <label key={id}>
          <input type="checkbox" checked={selection.has(id)} onChange={() => selection.toggle(id, false)} />
          {name}
        </label>
      ))}
      <SelectionBar
        label="Selected runs"
        selection={selection}
        isOnPage={() => true}
        actions={[{ label: 'Cancel…', icon: null, reason, max: 10, dialog: () => null }]}
      />
      {ROWS.map(({ deployment }) => (
        <RightsAt key={deployment} deployment={deployment}>
          <Answer deployment={deployment} />
        </RightsAt>
      ))}
    </>
  )
}
const Answer = ({ deployment }: { deployment: string }) => (
  <Button reason={useReasons().run}>Answer in {deployment}</Button>
)
const reasonOf = (name: string) => screen.getByRole('button', { name }).getAttribute('title')
const select = (name: string) => fireEvent.click(screen.getByRole('checkbox', { name }))

test('a developer of one deployment is told why rows of others cannot be acted on', () => {
  render(
    <Rights canRun canAdminister={false} runsIn={['mine']}>
      <List />
    </Rights>,
  )
  expect(reasonOf('Answer in mine')).toBeNull()
  expect(reasonOf('Answer in theirs')).toBe('Requires the developer role for this deployment.')
  select('Run one')
  expect(reasonOf('Cancel…')).toBeNull()
  select('Run two')
  expect(reasonOf('Cancel…')).toBe('1 of the selected requires the developer role for its deployment.')
  expect(screen.getByRole('button', { name: 'Cancel…' }).getAttribute('aria-disabled')).toBe('true')
  select('Run two')
  expect(reasonOf('Cancel…')).toBeNull()
})

test.each([
  ['a developer of the workspace', true, null],
  ['a viewer of the workspace', false, []],
])('%s has the same everywhere', (_who, canRun, runsIn) => {
  render(
    <Rights canRun={canRun} canAdminister={false} runsIn={runsIn}>
      <List />
    </Rights>,
  )
  const reason = canRun ? null : 'Requires the developer role. Ask an administrator.'
  select('Run two')
  for (const name of ['Cancel…', 'Answer in mine', 'Answer in theirs']) expect(reasonOf(name)).toBe(reason)
})

const NO_ADMIN = 'Requires the admin role. Ask an administrator.'
const Delete = ({ ids }: { ids: string[] }) => (
  <Button reason={useAdministerReason(ids)}>Delete {ids.join(' and ')}</Button>
)

test.each<[string, boolean, string[] | null, (string | null)[]]>([
  ['a developer', false, [], [NO_ADMIN, NO_ADMIN, NO_ADMIN]],
  [
    'an admin of one deployment',
    false,
    ['mine'],
    [null, 'Requires the admin role for this deployment.', '1 of the selected requires the admin role.'],
  ],
  ['an admin', true, null, [null, null, null]],
])('%s may delete the deployments they administer', (_who, canAdminister, administersIn, [mine, theirs, both]) => {
  render(
    <Rights canRun canAdminister={canAdminister} administersIn={administersIn}>
      <Delete ids={['mine']} />
      <Delete ids={['theirs']} />
      <Delete ids={['mine', 'theirs']} />
    </Rights>,
  )
  expect([reasonOf('Delete mine'), reasonOf('Delete theirs'), reasonOf('Delete mine and theirs')]).toEqual([
    mine,
    theirs,
    both,
  ])
})

const Trace = () => (useReasons().hasTraces ? <a href="/trace">Open trace</a> : <p>No tracing server</p>)

test('a page inside of a workspace without a tracing server offers no traces', () => {
  const inside = (
    <Rights canRun canAdminister>
      <Trace />
    </Rights>
  )
  render(
    <Rights canRun canAdminister hasTraces={false}>
      {inside}
    </Rights>,
  )
  expect(screen.getByText('No tracing server')).toBeTruthy()
  cleanup()
  render(inside)
  expect(screen.getByRole('link', { name: 'Open trace' })).toBeTruthy()
})
