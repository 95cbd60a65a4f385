import { Notice } from '@/components/shared/feedback/notice'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { UnreadRevision } from '@/lib/contracts/deployments/revisions'
import { count } from '@/lib/format/format'

/** The listed revisions whose records could not be read, with the field that is wrong. */
export const UnreadRevisions = ({ unread }: { unread: readonly UnreadRevision[] }) =>
  unread.length === 0 ? null : (
    <div className="mb-3">
      <Notice tone="warn">
        <p>
          {unread.length === 1
            ? 'The control plane sent one revision in an unknown form, so it is not listed:'
            : `The control plane sent ${count(unread.length)} revisions in an unknown form, so they are not listed:`}
        </p>
        <ul className="mt-1 max-h-40 overflow-y-auto text-ink-2 text-xs">
          {unread.map(({ id, field, problem }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a record without an id has only its place
            <li key={index} className="break-words">
              <code className="font-mono">
                <VisibleText>{id ?? 'without an id'}</VisibleText>
              </code>
              : <VisibleText>{`${field} (${problem})`}</VisibleText>
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  )
