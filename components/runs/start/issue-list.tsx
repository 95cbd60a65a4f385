import { CircleAlert } from 'lucide-react'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { StartIssue } from './start-issues'

/** The issues of one field. Always rendered, so that screen readers announce new ones. */
export const IssueList = ({ id, issues }: { id: string; issues: readonly Pick<StartIssue, 'path' | 'message'>[] }) => (
  <div id={id} role="alert" className="space-y-0.5 text-error text-xs">
    {issues.map(({ path, message }) => (
      <p key={`${path} ${message}`} className="flex gap-1.5">
        <CircleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
        <span className="min-w-0 break-words">
          {path ? (
            <code className="font-mono font-medium">
              <VisibleText>{path}</VisibleText>
            </code>
          ) : null}{' '}
          <VisibleText>{message}</VisibleText>
        </span>
      </p>
    ))}
  </div>
)
