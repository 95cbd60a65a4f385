import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgSchema,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { SourceConfig, SourceRevisionConfig } from '@/lib/contracts/deployments/deployments'
import type { LogLevel, LogType } from './wire'

export const platformSchema = pgSchema('platform')

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

export const deployments = platformSchema.table(
  'deployments',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    source: text('source').notNull(),
    /** Without `custom_url`, which follows from the platform's own address. */
    sourceConfig: jsonb('source_config').$type<SourceConfig>().notNull(),
    /** The list of secrets, sealed as one text. */
    secrets: text('secrets').notNull(),
    status: text('status').notNull(),
    latestRevisionId: uuid('latest_revision_id'),
    activeRevisionId: uuid('active_revision_id'),
    imageVersion: text('image_version'),
    /** Whether a delete asked not to wait for anything. */
    isForced: boolean('is_forced').notNull().default(false),
    /** Whether a delete asked to take the tracing project along. */
    deletesProject: boolean('deletes_project').notNull().default(false),
    createdAt: time('created_at').notNull().defaultNow(),
    /** Moves with what a person changed, never with what a roll-out did. */
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
    /** The whole of what this revision is made of, so that a later change of the deployment leaves it alone. */
    sourceConfig: jsonb('source_config').$type<SourceConfig>().notNull(),
    sourceRevisionConfig: jsonb('source_revision_config').$type<SourceRevisionConfig>().notNull(),
    secrets: text('secrets').notNull(),
    /** Set once the revision's folder is complete; what follows needs no second build. */
    builtAt: time('built_at'),
    /** Orders what waits: the creation, or the last redeploy. By the clock, since a transaction's now() is its begin. */
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

/** Where a deployment's runs are logged. It outlives the deployment unless its delete says otherwise. */
export const tracingProjects = platformSchema.table(
  'tracing_projects',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    name: text('name').notNull(),
    deploymentId: uuid('deployment_id').references(() => deployments.id, { onDelete: 'set null' }),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('tracing_projects_name').on(table.name),
    uniqueIndex('tracing_projects_deployment').on(table.deploymentId),
  ],
)

/** Facts about this platform that hold for good: its tenant id, and which first steps are done. */
export const settings = platformSchema.table('settings', {
  key: text('key').primaryKey(),
  value: jsonb('value').$type<unknown>().notNull(),
})

export type DeploymentRow = typeof deployments.$inferSelect
export type RevisionRow = typeof revisions.$inferSelect
