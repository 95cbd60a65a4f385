'use client'
import type { ReactNode } from 'react'
import { Menu, MenuItem, MenuSeparator } from '@/components/ui/menu'

export type ThreadTask = 'copy' | 'metadata' | 'cancel' | 'delete'

type Props = {
  trigger: ReactNode
  reason: string | undefined
  hasMetadata: boolean
  onTask: (task: ThreadTask) => void
}

export const ThreadMenu = ({ trigger, reason, hasMetadata, onTask }: Props) => (
  <Menu trigger={trigger} label="More" defaultOpen>
    <MenuItem reason={reason} disabled={!hasMetadata} onSelect={() => onTask('metadata')}>
      Edit metadata…
    </MenuItem>
    <MenuItem reason={reason} onSelect={() => onTask('copy')}>
      Copy with history…
    </MenuItem>
    <MenuSeparator />
    <MenuItem reason={reason} onSelect={() => onTask('cancel')}>
      Cancel runs…
    </MenuItem>
    <MenuItem tone="danger" reason={reason} onSelect={() => onTask('delete')}>
      Delete…
    </MenuItem>
  </Menu>
)
