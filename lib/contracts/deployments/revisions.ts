import { z } from 'zod'
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
})
export type Revision = z.output<typeof Revision>

/** Newest first. */
export const RevisionsList = z.object({ resources: z.array(Revision), offset: z.int() })
export type RevisionsList = z.output<typeof RevisionsList>

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
