'use client'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/error-notice'
import { VisibleText } from '@/components/shared/visible-text'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Select } from '@/components/ui/input'
import { makesRevision, type Setting, type SettingsDifference } from '@/lib/contracts/deployment-settings'
import type { SettingConflict } from './settings-draft'
import { LABELS, valueWords } from './settings-labels'

type SettingsReviewProps = {
  differences: readonly SettingsDifference[]
  isBusy: boolean
  onSend: () => void
  onClose: () => void
}

/** What will change, before it is sent. */
export function SettingsReview({ differences, isBusy, onSend, onClose }: SettingsReviewProps) {
  const isRevision = differences.some(({ setting }) => makesRevision(setting))
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => {
        if (!isOpen && !isBusy) onClose()
      }}
      title="Review the change of settings"
      description={
        isRevision
          ? 'The server makes a new revision with it and rolls that out.'
          : 'It makes no new revision: what runs stays as it is.'
      }
      className="base:w-[min(40rem,calc(100vw-2rem))]"
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
                  <VisibleText>{valueWords(from)}</VisibleText>
                </del>
                <span aria-hidden> → </span>
                <ins className="no-underline">
                  <VisibleText>{valueWords(to)}</VisibleText>
                </ins>
              </span>
            </li>
          ))}
        </ul>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Back to the draft
          </Button>
          <Button variant="primary" isBusy={isBusy} onClick={onSend}>
            {isRevision ? 'Send and make a new revision' : 'Send'}
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
  /** Goes on with what is there now; of the settings given, theirs stands. */
  onDecide: (theirs: Setting[]) => void
}

/** My change and theirs side by side. Nothing is sent from here: what is decided becomes the draft, and is reviewed again. */
export function SettingsConflict({ message, rows, onCancel, onDecide }: SettingsConflictProps) {
  const [theirs, setTheirs] = useState<readonly Setting[]>([])
  const choose = (setting: Setting, isTheirs: boolean) =>
    setTheirs((all) => (isTheirs ? [...all, setting] : all.filter((one) => one !== setting)))
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onCancel()
      }}
      title="Somebody else changed the settings"
      className="base:w-[min(48rem,calc(100vw-2rem))]"
    >
      <div className="flex flex-col gap-3">
        <ErrorNotice error={{ message }} />
        <div className="overflow-x-auto rounded-lg border">
          <table aria-label="Both changes by setting" className="w-full border-collapse text-left text-xs">
            <thead className="text-ink-3">
              <tr className="[&>th]:bg-sunken [&>th]:px-2.5 [&>th]:py-1.5 [&>th]:font-medium">
                <th scope="col">Setting</th>
                <th scope="col">You saw</th>
                <th scope="col">Now</th>
                <th scope="col">Yours</th>
                <th scope="col">Then</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ setting, base, mine, theirs: now }) => (
                <tr key={setting} className="border-t [&>td]:break-all [&>td]:px-2.5 [&>td]:py-1.5">
                  <th scope="row" className="px-2.5 py-1.5 font-medium">
                    {LABELS[setting]}
                  </th>
                  {[base, now, mine].map((value, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the same three columns in every row
                    <td key={index} className="font-mono">
                      <VisibleText>{valueWords(value)}</VisibleText>
                    </td>
                  ))}
                  <td>
                    {mine === base ? (
                      'theirs stays'
                    ) : mine === now ? (
                      'the same'
                    ) : (
                      <Select
                        aria-label={`What becomes of ${LABELS[setting]}`}
                        className="h-7 w-auto text-xs"
                        value={theirs.includes(setting) ? 'theirs' : 'mine'}
                        onChange={(event) => choose(setting, event.target.value === 'theirs')}
                      >
                        <option value="mine">keep mine</option>
                        <option value="theirs">take theirs</option>
                      </Select>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onCancel}>Cancel, keep the draft</Button>
          <Button variant="primary" onClick={() => onDecide([...theirs])}>
            Go on from what is there now
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
