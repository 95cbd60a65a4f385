import { sql } from 'drizzle-orm'
import { bigint, boolean, date, index, integer, json, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { RecordedFigures } from '../../contracts/agents/run-row'
import type { RecordingOutcome, RecordingSummary } from '../../stream/log'
import { consoleSchema } from '../process/schema'

// drizzle-kit reads this file outside Next: relative imports of types only (in addition to the schema), and no `server-only`.

const moment = (name: string) => timestamp(name, { withTimezone: true })

export const recordings = consoleSchema.table(
  'recordings',
  {
    id: uuid('id').primaryKey(),
    workspace: text('workspace').notNull(),
    deployment: text('deployment').notNull(),
    thread: text('thread'),
    run: text('run'),
    assistant: text('assistant').notNull(),
    /** The version that was active when the run started; null if unknown. */
    assistantVersion: integer('assistant_version'),
    phase: text('phase').$type<RecordingSummary['phase']>().notNull(),
    outcome: text('outcome').$type<RecordingOutcome>(),
    /** Why it failed, the beginning; null if unknown, as in recordings of earlier versions. */
    error: text('error'),
    /** What it said or left last, the beginning; null if unknown, as in recordings of earlier versions. */
    output: text('output'),
    /** Ids of the questions that it stopped at; null if unknown, as in recordings of earlier versions. */
    questions: json('questions').$type<string[]>(),
    /** What its models took; null if unknown, as in recordings of earlier versions. */
    figures: json('figures').$type<RecordedFigures>(),
    startedBy: text('started_by').notNull(),
    /** With the precision of a Date, so that pages of a list end exactly where an index entry does. */
    startedAt: timestamp('started_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
    endedAt: moment('ended_at'),
    entries: integer('entries').notNull().default(0),
    bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
    /** JSON text of the run request, redacted. */
    request: text('request').notNull(),
    isStateless: boolean('is_stateless').notNull(),
    /** The server keeps the run's events, so a broken stream can be resumed without loss. */
    isResumable: boolean('is_resumable').notNull(),
    /** Set when the server confirmed our cancel. */
    cancelledAt: moment('cancelled_at'),
    /** Prevents a second start by the same person with the same key. */
    idempotencyKey: text('idempotency_key'),
    /** The console instance that records; null if none does. */
    owner: integer('owner'),
    leaseUntil: moment('lease_until'),
    /** Last entry that survived each crash after which viewers may have seen more. */
    cuts: json('cuts').$type<number[]>().notNull().default([]),
    /** The key of its log in object storage; null if it is in the database. */
    object: text('object'),
  },
  (table) => [
    index('recordings_place').on(table.workspace, table.deployment, table.startedAt),
    index('recordings_workspace').on(table.workspace, table.startedAt),
    index('recordings_run').on(table.run),
    index('recordings_thread').on(table.thread),
    // Without the lease, so that renewing it touches no index.
    index('recordings_unfinished').on(table.startedAt).where(sql`phase <> 'ended'`),
    index('recordings_ended').on(table.endedAt),
    uniqueIndex('recordings_idempotency').on(table.workspace, table.startedBy, table.idempotencyKey),
  ],
)

/** How long recordings of a workspace are kept; without a row, for as long as `DEFAULT_DAYS` says. */
export const retention = consoleSchema.table('retention', {
  workspace: text('workspace').primaryKey(),
  days: integer('days').notNull(),
  /** Of all recordings of the workspace; null for no limit. */
  maxBytes: bigint('max_bytes', { mode: 'number' }),
})

/** Whether a workspace has public links; without a row it has none. */
export const sharing = consoleSchema.table('sharing', {
  workspace: text('workspace').primaryKey(),
  hasPublicLinks: boolean('has_public_links').notNull(),
})

/** Links that show a recording to anyone who has them. */
export const publicLinks = consoleSchema.table(
  'public_links',
  {
    id: uuid('id').primaryKey(),
    workspace: text('workspace').notNull(),
    recording: uuid('recording')
      .notNull()
      .references(() => recordings.id, { onDelete: 'cascade' }),
    /** Of its secret, which is not stored. */
    hash: text('hash').notNull(),
    createdBy: text('created_by').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    revokedAt: moment('revoked_at'),
    opens: integer('opens').notNull().default(0),
    lastOpenedAt: moment('last_opened_at'),
  },
  (table) => [
    index('public_links_workspace').on(table.workspace, table.createdAt),
    index('public_links_recording').on(table.recording),
  ],
)

/**
 * Log entries `first_seq` to `last_seq`: their texts joined by commas. Partitioned, which drizzle-kit cannot say: rows of
 * recordings in progress are in `segments_live`, packed ones in a partition per week, each with a key of these two columns.
 */
export const segments = consoleSchema.table('segments', {
  recording: uuid('recording').notNull(),
  firstSeq: integer('first_seq').notNull(),
  lastSeq: integer('last_seq').notNull(),
  body: text('body').notNull(),
  /** The upstream's id of the last event; a replay resumes after it. */
  lastEventId: text('last_event_id'),
  /** Monday of the week in which it was packed; null if it is not, infinity if its text is in object storage. */
  packedOn: date('packed_on'),
  /** Bytes of a text in object storage, and where it is in the recording's object, compressed. */
  size: integer('size'),
  objectAt: bigint('object_at', { mode: 'number' }),
  objectLength: integer('object_length'),
})

/** Objects to remove once they are due: of deleted recordings, which a trigger adds, and of uploads that may be cut off. */
export const unusedObjects = consoleSchema.table('unused_objects', {
  key: text('key').primaryKey(),
  dueAt: moment('due_at').notNull(),
})
