'use client'
import { Columns2, Download, History, PencilLine, Share2 } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Menu, MenuItem } from '@/components/ui/menu'
import { withBasePath } from '@/lib/base-path'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import { Choice } from './choice'

type Props = {
  trigger: ReactNode
  summary: RecordingSummary
  isGone: boolean
  onReplay: (() => void) | undefined
  onShare: () => void
}

export const MoreChoices = ({ trigger, summary, isGone, onReplay, onShare }: Props) => {
  const { workspace, deployment: deploymentId, id } = summary
  return (
    <Menu label="More actions" trigger={trigger} defaultOpen>
      {isGone ? null : (
        <MenuItem asChild>
          <Link href={routes.newRun(workspace, deploymentId, { from: id })}>
            <PencilLine aria-hidden />
            <Choice title="Run again with changes" hint="Opens the form with this run’s request, on a new thread." />
          </Link>
        </MenuItem>
      )}
      <MenuItem onSelect={onShare}>
        <Share2 aria-hidden />
        <Choice title="Share…" hint="A link to this moment for members, or a public link." />
      </MenuItem>
      <MenuItem onSelect={onReplay} reason={onReplay ? undefined : 'Available when the run has ended.'}>
        <History aria-hidden />
        <Choice title="Replay" hint="Plays the recording, up to 20 times as fast." />
      </MenuItem>
      <MenuItem asChild>
        <Link href={routes.compareRuns(workspace, id)}>
          <Columns2 aria-hidden />
          <Choice title="Compare with another run" hint="Shows both side by side." />
        </Link>
      </MenuItem>
      <MenuItem asChild>
        <a href={withBasePath(routes.recordingFile(workspace, deploymentId, id))} download>
          <Download aria-hidden />
          <Choice title="Export to a file" hint="Saves the whole recording. It opens without an account." />
        </a>
      </MenuItem>
    </Menu>
  )
}
