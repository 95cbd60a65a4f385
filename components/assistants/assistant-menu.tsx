'use client'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Menu, MenuItem, MenuSeparator } from '@/components/ui/menu'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import { routes } from '@/lib/routes'

type Props = { trigger: ReactNode; place: AssistantPlace; whyNoDelete: string | undefined; onDelete: () => void }

export function AssistantMenu({ trigger, place, whyNoDelete, onDelete }: Props) {
  const { workspace, deploymentId, assistant } = place
  return (
    <Menu trigger={trigger} label="More" defaultOpen>
      <MenuItem asChild>
        <Link href={routes.compareVersions(workspace, deploymentId, assistant)}>Compare versions</Link>
      </MenuItem>
      <MenuItem asChild>
        <Link href={routes.threads(workspace, deploymentId, { assistant })}>Threads of this assistant</Link>
      </MenuItem>
      <MenuSeparator />
      <MenuItem tone="danger" reason={whyNoDelete} onSelect={onDelete}>
        Delete…
      </MenuItem>
    </Menu>
  )
}
