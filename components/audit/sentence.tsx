import Link from 'next/link'
import { VisibleName } from '@/components/shared/text/visible-text'
import type { AuditRowsPage } from '@/lib/contracts/audit/audit-row'
import { type AuditFacts, type AuditOutcome, auditSentence, type Phrase } from '@/lib/contracts/audit/sentence'
import { shortId } from '@/lib/format/format'
import { routes } from '@/lib/routes'

type Names = AuditRowsPage['names']
type Props = { workspace: string; row: AuditFacts & { actor: string; outcome: AuditOutcome }; names: Names }

/** "admin@example.org removed secret DATABASE_URL of support-agent", with links to deployments. */
export const AuditSentence = ({ workspace, row, names }: Props) => (
  <span className="whitespace-normal break-words">
    <VisibleName className="font-medium">{row.actor}</VisibleName>{' '}
    {auditSentence(row, row.outcome).map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their places
      <Part key={index} workspace={workspace} part={part} names={names} />
    ))}
  </span>
)

function Part({ workspace, part, names }: { workspace: string; part: Phrase; names: Names }) {
  if (typeof part === 'string') return part
  if ('code' in part) return <VisibleName className="font-mono text-xs">{part.code}</VisibleName>
  if ('account' in part) return <VisibleName>{names.accounts[part.account] ?? shortId(part.account)}</VisibleName>
  const name = names.deployments[part.deployment]
  // It may have been deleted, so there is no link without a name.
  if (!name)
    return (
      <span title={part.deployment}>
        deployment <VisibleName className="font-mono text-xs">{shortId(part.deployment)}</VisibleName>
      </span>
    )
  return (
    <Link href={routes.deployment(workspace, part.deployment)} className="hover:underline">
      <VisibleName>{name}</VisibleName>
    </Link>
  )
}
