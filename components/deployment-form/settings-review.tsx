'use client'
import { ConflictView } from '@/components/shared/conflict/conflict-view'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { makesRevision, type Setting, type SettingsDifference } from '@/lib/contracts/deployments/deployment-settings'
import type { SettingConflict } from './settings-draft'
import { LABELS, valueText } from './settings-labels'

type SettingsReviewProps = {
  differences: readonly SettingsDifference[]
  isBusy: boolean
  onSend: () => void
  onClose: () => void
}

/** Shows the changes before they are sent. */
export function SettingsReview({ differences, isBusy, onSend, onClose }: SettingsReviewProps) {
  const isRevision = differences.some(({ setting }) => makesRevision(setting))
  return (
    <Dialog
      open
      onOpenChange={() => isBusy || onClose()}
      title="Review changes"
      description={
        isRevision ? 'Saving creates a new revision and rolls it out.' : 'Saving does not create a revision.'
      }
      className="w-[min(40rem,calc(100vw-2rem))]"
    >
      <div className="flex flex-col gap-3">
        <ul className="divide-y rounded-lg border">
          {differences.map(({ setting, from, to }) => (
            <li key={setting} className="flex flex-col gap-1 px-3 py-2">
              <span className="flex flex-wrap items-center gap-2 font-medium text-sm">
                {LABELS[setting]}
                {makesRevision(setting) ? <Badge>new revision</Badge> : null}
              </span>
              <span className="break-all font-mono text-xs">
                <del className="text-ink-3">
                  <VisibleText>{valueText(from)}</VisibleText>
                </del>
                <span aria-hidden> → </span>
                <ins className="no-underline">
                  <VisibleText>{valueText(to)}</VisibleText>
                </ins>
              </span>
            </li>
          ))}
        </ul>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          <Button variant="primary" isBusy={isBusy} onClick={onSend}>
            {isRevision ? 'Save and create revision' : 'Save changes'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

type SettingsConflictProps = {
  message: string
  rows: readonly SettingConflict[]
  onCancel: () => void
  /** Continues from the current settings; for the given ones, theirs is kept. */
  onResolve: (theirs: Setting[]) => void
}

const Words = ({ value }: { value: Parameters<typeof valueText>[0] }) => (
  <span className="font-mono">
    <VisibleText>{valueText(value)}</VisibleText>
  </span>
)

/** My change of settings and theirs. */
export const SettingsConflict = ({ message, rows, onCancel, onResolve }: SettingsConflictProps) => (
  <Dialog
    open
    onOpenChange={onCancel}
    title="Someone else changed the settings"
    className="w-[min(48rem,calc(100vw-2rem))]"
  >
    <ConflictView
      message={message}
      rows={rows.map(({ setting, base, mine, theirs }) => ({
        key: setting,
        name: LABELS[setting],
        base: <Words value={base} />,
        theirs: <Words value={theirs} />,
        mine: <Words value={mine} />,
        keeps: mine === base ? 'theirs' : mine === theirs ? 'same' : 'choose',
      }))}
      initial="mine"
      onCancel={onCancel}
      onResolve={({ theirs }) => onResolve(rows.map(({ setting }) => setting).filter((one) => theirs.has(one)))}
    />
  </Dialog>
)
