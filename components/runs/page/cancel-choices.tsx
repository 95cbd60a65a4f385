'use client'
import type { ReactNode } from 'react'
import { Menu, MenuItem } from '@/components/ui/menu'
import { Choice } from './choice'

type CancelChoicesProps = {
  trigger: ReactNode
  /** False for stateless runs, which leave nothing to roll back. */
  mayRollBack: boolean
  onChoose: (action: 'interrupt' | 'rollback') => void
}

export const CancelChoices = ({ trigger, mayRollBack, onChoose }: CancelChoicesProps) => (
  <Menu label="Cancel options" trigger={trigger} defaultOpen>
    <MenuItem onSelect={() => onChoose('interrupt')}>
      <Choice title="Interrupt" hint="Stops the run and keeps its changes in the thread." />
    </MenuItem>
    {mayRollBack ? (
      <MenuItem tone="danger" onSelect={() => onChoose('rollback')}>
        <Choice title="Roll back" hint="Stops the run and removes all its changes." />
      </MenuItem>
    ) : null}
  </Menu>
)
