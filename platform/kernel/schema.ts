import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  index,
  integer,
  json,
  jsonb,
  pgSchema,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { SourceConfig, SourceRevisionConfig } from '@/lib/contracts/deployments/deployments'
import type { CommitFacts, StatusTime } from '@/lib/contracts/deployments/revisions'
import type { LogLevel, LogType } from './wire'

export const platformSchema = pgSchema('platform')

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

export const deployments = platformSchema.table(
  'deployments',
  {
    id: uuid('id').primaryKey(),
    /** Never reused, because it determines the deployment's operating-system user. */
    number: integer('number').generatedAlwaysAsIdentity(),
    name: text('name').notNull(),
    source: text('source').notNull(),
    /** With `custom_url` only if one was given: otherwise it is derived from the platform's address. */
    sourceConfig: jsonb('source_config').$type<SourceConfig>().notNull(),
    /** The list of secrets, sealed as one text. */
    secrets: text('secrets').notNull(),
    status: text('status').notNull(),
    latestRevisionId: uuid('latest_revision_id'),
    activeRevisionId: uuid('active_revision_id'),
    imageVersion: text('image_version'),
    /** Whether the delete should wait for nothing. */
    isForced: boolean('is_forced').notNull().default(false),
    /** Whether the delete includes the tracing project. */
    deletesProject: boolean('deletes_project').notNull().default(false),
    createdAt: time('created_at').notNull().defaultNow(),
    /** Changes with users' edits, never with roll-outs. */
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('deployments_name').on(table.name),
    index('deployments_newest').on(table.createdAt, table.id),
  ],
)

export const revisions = platformSchema.table(
  'revisions',
  {
    id: uuid('id').primaryKey(),
    deploymentId: uuid('deployment_id')
      .notNull()
      .references(() => deployments.id, { onDelete: 'cascade' }),
    /** 1, 2, 3 … within its deployment. */
    number: integer('number').notNull(),
    status: text('status').notNull(),
    source: text('source').notNull(),
    /** Everything that determines this revision, so that later changes of the deployment do not affect it. */
    sourceConfig: jsonb('source_config').$type<SourceConfig>().notNull(),
    sourceRevisionConfig: jsonb('source_revision_config').$type<SourceRevisionConfig>().notNull(),
    secrets: text('secrets').notNull(),
    /** Every status since creation, with its beginning. */
    statusHistory: jsonb('status_history').$type<StatusTime[]>().notNull().default([]),
    commit: jsonb('commit').$type<CommitFacts>(),
    /** The image that was built of it, by digest. */
    image: text('image'),
    /** Set once the revision's folder is complete, so that it is not built again. */
    builtAt: time('built_at'),
    /**
     * Orders queued revisions by creation or last redeploy. The clock's time, because now() is the beginning of the
     * transaction.
     */
    queuedAt: time('queued_at').notNull().default(sql`clock_timestamp()`),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('revisions_number').on(table.deploymentId, table.number),
    index('revisions_status').on(table.status),
  ],
)

export const revisionLogs = platformSchema.table(
  'revision_logs',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    deploymentId: uuid('deployment_id')
      .notNull()
      .references(() => deployments.id, { onDelete: 'cascade' }),
    revisionId: uuid('revision_id')
      .notNull()
      .references(() => revisions.id, { onDelete: 'cascade' }),
    type: text('type').$type<LogType>().notNull(),
    level: text('level').$type<LogLevel>().notNull(),
    message: text('message').notNull(),
    runId: text('run_id'),
    time: time('time').notNull(),
  },
  (table) => [
    index('revision_logs_revision').on(table.revisionId, table.type, table.id),
    index('revision_logs_deployment').on(table.deploymentId, table.type, table.id),
  ],
)

/** Where a deployment's runs are logged. Outlives the deployment unless its delete includes it. */
export const tracingProjects = platformSchema.table(
  'tracing_projects',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    name: text('name').notNull(),
    deploymentId: uuid('deployment_id').references(() => deployments.id, { onDelete: 'set null' }),
    createdAt: time('created_at').notNull().defaultNow(),
    description: text('description'),
    /** As it was sent: jsonb would refuse some texts and numbers. */
    extra: json('extra').$type<Record<string, unknown>>(),
    endTime: time('end_time'),
  },
  (table) => [
    uniqueIndex('tracing_projects_name').on(table.name),
    uniqueIndex('tracing_projects_deployment').on(table.deploymentId),
  ],
)

/** Other clusters that deployments can run in, each joined by a listener with a token of its own. */
export const listeners = platformSchema.table(
  'listeners',
  {
    id: uuid('id').primaryKey(),
    /** The name that users know it by. */
    computeId: text('compute_id').notNull(),
    namespaces: jsonb('namespaces').$type<string[]>().notNull(),
    /** SHA-256 of the token; null once it is revoked. */
    tokenHash: text('token_hash'),
    /** What the listener said last about itself; null until it came. */
    about: jsonb('about').$type<ListenerAbout>(),
    lastSeenAt: time('last_seen_at'),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('listeners_compute_id').on(table.computeId),
    uniqueIndex('listeners_token_hash').on(table.tokenHash),
  ],
)
export type ListenerAbout = {
  version: string
  cluster: string
  agentUrl: string
  database: string | null
  hasTunnels?: boolean
}
export type ListenerRow = typeof listeners.$inferSelect

/**
 * What gateways that run apart have to know, sealed with their key: an entry for each deployment, and one for what applies
 * to all of them.
 */
export const gatewayEntries = platformSchema.table('gateway_entries', {
  /** The id of the deployment. */
  key: text('key').primaryKey(),
  /** Null once the deployment is gone. */
  sealed: text('sealed'),
  /** Grows with every change of any entry. */
  version: bigint('version', { mode: 'number' }).notNull(),
})

/** The gateways that run apart. Each holds an advisory lock under its number for as long as it is connected. */
export const gatewayCopies = platformSchema.table('gateway_copies', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  /** The version of the entries by which it routes. */
  version: bigint('version', { mode: 'number' }).notNull(),
  /** How many requests are open to servers that are in no entry any more. */
  draining: jsonb('draining').$type<Record<string, number>>().notNull().default({}),
})

/** Permanent facts about this platform: its tenant id, and which first steps are done. */
export const settings = platformSchema.table('settings', {
  key: text('key').primaryKey(),
  value: jsonb('value').$type<unknown>().notNull(),
})

export type DeploymentRow = typeof deployments.$inferSelect
export type RevisionRow = typeof revisions.$inferSelect
