'use client'
import type { ReactNode } from 'react'
import { Menu, MenuItem } from '@/components/ui/menu'

type CancelChoicesProps = {
  trigger: ReactNode
  /** A run that keeps no thread leaves nothing to roll back. */
  mayRollBack: boolean
  onChoose: (action: 'interrupt' | 'rollback') => void
}

export const CancelChoices = ({ trigger, mayRollBack, onChoose }: CancelChoicesProps) => (
  <Menu label="How to cancel" trigger={trigger} defaultOpen>
    <MenuItem onSelect={() => onChoose('interrupt')}>
      <Choice title="Interrupt" hint="Stop it; what it did so far stays in the thread." />
    </MenuItem>
    {mayRollBack ? (
      <MenuItem tone="danger" onSelect={() => onChoose('rollback')}>
        <Choice title="Roll back" hint="Stop it and remove everything it did." />
      </MenuItem>
    ) : null}
  </Menu>
)

const Choice = ({ title, hint }: { title: string; hint: string }) => (
  <span>
    <span className="block font-medium">{title}</span>
    <span className="block text-ink-3 text-xs">{hint}</span>
  </span>
)
