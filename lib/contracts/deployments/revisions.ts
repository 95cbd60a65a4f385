import { z } from 'zod'
import { isRecord } from '@/lib/json/guards'
import { openEnum, pageQuery, queryBool, queryCommaList } from '../wire/fields'
import { REVISION_STATUSES } from '../wire/state'
import { SOURCES } from './deployment-rules'
import { DeploymentPatch, SourceRevisionConfig } from './deployments'

/** A status of a revision and when it began. */
export const StatusTime = z.object({ status: openEnum(REVISION_STATUSES), at: z.string() })
export type StatusTime = z.output<typeof StatusTime>

/** What git says of a commit. `message` has no blank lines and at most 2,000 characters. */
export const CommitFacts = z.object({ message: z.string(), author: z.string(), authored_at: z.string() })
export type CommitFacts = z.output<typeof CommitFacts>

/** One build and roll-out. It has no error text; the reason of a failure is in its logs. */
export const Revision = z.object({
  id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  status: openEnum(REVISION_STATUSES),
  source: openEnum(SOURCES).nullish(),
  source_revision_config: SourceRevisionConfig,
  /** Every status since creation, oldest first; a redeploy adds to it. Only the embedded platform records it. */
  status_history: z.array(StatusTime).nullish(),
  /** Of the commit that was built. Only the embedded platform records it. */
  commit: CommitFacts.nullish(),
  /** The image that was built of its source, by digest. Only the embedded platform records it. */
  image: z.string().nullish(),
})
export type Revision = z.output<typeof Revision>

/** A record that is not in the known form: its id if it has one, the field, and what is wrong with it. */
export const UnreadRevision = z.object({ id: z.string().nullable(), field: z.string(), problem: z.string() })
export type UnreadRevision = z.output<typeof UnreadRevision>

/** Newest first. Records that cannot be read are told apart, so that they do not hide the others. */
export const RevisionsList = z
  .object({ resources: z.array(z.custom<z.input<typeof Revision>>()), offset: z.int() })
  .transform(({ resources: given, offset }) => {
    const resources: Revision[] = []
    const unread: UnreadRevision[] = []
    for (const record of given) {
      const read = Revision.safeParse(record)
      if (read.success) resources.push(read.data)
      else unread.push(unreadOf(record, read.error))
    }
    return { resources, unread, offset }
  })
export type RevisionsList = z.output<typeof RevisionsList>

function unreadOf(record: unknown, { issues: [issue] }: z.ZodError): UnreadRevision {
  const id = isRecord(record) && typeof record.id === 'string' ? record.id.slice(0, 100) : null
  return { id, field: issue?.path.join('.') || 'the whole record', problem: issue?.message ?? '' }
}

/** Takes the fields of a deployment update, and always creates a revision. */
export const RevisionCreate = DeploymentPatch
export type RevisionCreate = z.output<typeof RevisionCreate>

export const ListRevisionsQuery = z.strictObject({
  ...pageQuery,
  /** Comma-separated statuses. */
  status: queryCommaList().optional(),
  remote_reconciled: queryBool().optional(),
})
export type ListRevisionsQuery = z.output<typeof ListRevisionsQuery>
