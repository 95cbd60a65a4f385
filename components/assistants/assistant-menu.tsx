'use client'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Menu, MenuItem, MenuSeparator } from '@/components/ui/menu'
import { routes } from '@/lib/routes'
import type { AssistantPlace } from './place'

type Props = { trigger: ReactNode; place: AssistantPlace; whyNoDelete: string | undefined; onDelete: () => void }

export function AssistantMenu({ trigger, place, whyNoDelete, onDelete }: Props) {
  const { workspace, deployment, assistant } = place
  return (
    <Menu trigger={trigger} label="More" defaultOpen>
      <MenuItem asChild>
        <Link href={routes.compareVersions(workspace, deployment, assistant)}>Compare versions</Link>
      </MenuItem>
      <MenuItem asChild>
        <Link href={routes.threads(workspace, deployment, { assistant })}>Threads of this assistant</Link>
      </MenuItem>
      <MenuSeparator />
      <MenuItem tone="danger" reason={whyNoDelete} onSelect={onDelete}>
        Delete…
      </MenuItem>
    </Menu>
  )
}
