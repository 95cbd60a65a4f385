import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  json,
  jsonb,
  numeric,
  pgSchema,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { AlertKind, AlertMessage, AlertSettings, ChannelKind } from '../../contracts/alerts/alerts'
import type { Machine } from '../../contracts/alerts/machine'
import type { AuditLimits } from '../../contracts/audit/limits'
import type { Role } from '../../contracts/wire/api'
import type { DeploymentRoles } from '../../contracts/wire/rights'
import type { Check, PairResult, PairState, Subject } from '../../stream/experiments'

// drizzle-kit reads this file outside Next: relative imports of types only, and no `server-only`.

/** The console's own schema; `lib/server/recorder/schema.ts` adds its tables to it. */
export const consoleSchema = pgSchema('console')

const moment = (name: string) => timestamp(name, { withTimezone: true })

export const accounts = consoleSchema.table(
  'accounts',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** Lower case. */
    email: text('email').notNull().unique(),
    name: text('name').notNull().default(''),
    /** Null: can only sign in with the identity provider. */
    passwordHash: text('password_hash'),
    /** The password was generated for somebody else to pass on: its owner must change it before anything else. */
    hasInitialPassword: boolean('has_initial_password').notNull().default(false),
    /** Issuer and subject at the identity provider, set on the first sign-in there. */
    oidcSubject: text('oidc_subject').unique(),
    /** Part of every session; raising it ends all of them. */
    sessionVersion: integer('session_version').notNull().default(1),
    /** Signing in with the password needs a passkey too. */
    requiresPasskey: boolean('requires_passkey').notNull().default(false),
    disabledAt: moment('disabled_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [check('accounts_email_lower', sql`${table.email} = lower(${table.email})`)],
)

export const memberships = consoleSchema.table(
  'memberships',
  {
    account: uuid('account')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /**
     * A workspace's slug; `*` with the admin role means the whole console. No foreign key: the first workspace is in
     * the environment.
     */
    workspace: text('workspace').notNull(),
    /** For the whole workspace; null: only for the deployments below. */
    role: text('role').$type<Role>(),
    /** Higher or only roles, by deployment id. docs/decisions/0069-deployment-roles.md */
    deployments: jsonb('deployments').$type<DeploymentRoles>().notNull().default({}),
    /** Set by an administrator or an invitation: signing in with the identity provider does not change it. */
    isKept: boolean('is_kept').notNull().default(false),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.workspace] }),
    index('memberships_workspace').on(table.workspace),
    check('memberships_role', sql`${table.role} in ('viewer', 'developer', 'admin')`),
    check('memberships_deployments', sql`${table.deployments} = '{}' or ${table.workspace} <> '*'`),
    check('memberships_rights', sql`${table.role} is not null or ${table.deployments} <> '{}'`),
  ],
)

/** What one instance has read for all: lib/server/live/cluster-read.ts. Unlogged, so a crash of the database empties it. */
export const clusterReads = consoleSchema.table('cluster_reads', {
  /** A hash of what is read. */
  key: text('key').primaryKey(),
  /** Of the instance that reads it now, or was the last to. */
  claim: uuid('claim').notNull(),
  claimedUntil: moment('claimed_until').notNull(),
  /** JSON text. */
  body: text('body'),
  readAt: moment('read_at'),
})

/** What one instance at a time does: lib/server/process/lease.ts. Unlogged: after a crash of the database nobody has any. */
export const leases = consoleSchema.table('leases', {
  /** A hash of its name. */
  key: text('key').primaryKey(),
  holder: uuid('holder').notNull(),
  until: moment('until').notNull(),
  /** Of the holder, while it shows that it lives: lib/server/process/instance.ts. */
  instance: integer('instance'),
})

/** What instances have taken of limits: lib/server/access/shared-limiter.ts. Unlogged, so a crash of the database empties it. */
export const limitSlices = consoleSchema.table(
  'limit_slices',
  {
    id: uuid('id').primaryKey(),
    /** A hash of whom the limit is for. */
    key: text('key').notNull(),
    amount: integer('amount').notNull(),
    /** It counts until then. */
    until: moment('until').notNull(),
  },
  (table) => [index('limit_slices_key').on(table.key), index('limit_slices_until').on(table.until)],
)

/** Sessions that were signed out before they expired, and challenges of passkeys that were used. */
export const endedSessions = consoleSchema.table('ended_sessions', {
  id: text('id').primaryKey(),
  endsAt: moment('ends_at').notNull(),
})

/** Sessions that were seen, for their owner and administrators. Whether one may act is decided by its version and `endedSessions`. */
export const sessions = consoleSchema.table(
  'sessions',
  {
    id: text('id').primaryKey(),
    account: uuid('account')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    version: integer('version').notNull(),
    /** Null: not known. */
    address: text('address'),
    browser: text('browser'),
    endsAt: moment('ends_at').notNull(),
    lastSeenAt: moment('last_seen_at').notNull().defaultNow(),
  },
  (table) => [index('sessions_account').on(table.account), index('sessions_ends_at').on(table.endsAt)],
)

/** Public keys of devices that sign an account in. */
export const passkeys = consoleSchema.table(
  'passkeys',
  {
    /** The credential's id, in base64url. */
    id: text('id').primaryKey(),
    account: uuid('account')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** In COSE form and base64url. */
    publicKey: text('public_key').notNull(),
    /** Goes up with each use of a device that counts; a copy of its key would fall behind. */
    counter: bigint('counter', { mode: 'number' }).notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [index('passkeys_account').on(table.account)],
)

/** Links with which an invited person joins a workspace. */
export const invitations = consoleSchema.table(
  'invitations',
  {
    id: uuid('id').primaryKey(),
    /** No foreign key: the first workspace is in the environment. */
    workspace: text('workspace').notNull(),
    /** The only address that may accept it. */
    email: text('email').notNull(),
    /** Like those of the membership that it becomes. */
    role: text('role').$type<Role>(),
    deployments: jsonb('deployments').$type<DeploymentRoles>().notNull().default({}),
    hash: text('hash').notNull(),
    /** E-mail address of the administrator. */
    createdBy: text('created_by').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
    revokedAt: moment('revoked_at'),
  },
  (table) => [
    index('invitations_workspace').on(table.workspace, table.createdAt),
    check('invitations_role', sql`${table.role} in ('viewer', 'developer', 'admin')`),
    check('invitations_rights', sql`${table.role} is not null or ${table.deployments} <> '{}'`),
  ],
)

/** Attempts to sign in of the last quarter of an hour, one row for each limit that they count against. */
export const signInAttempts = consoleSchema.table(
  'sign_in_attempts',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    key: text('key').notNull(),
    at: moment('at').notNull().defaultNow(),
  },
  (table) => [index('sign_in_attempts_key').on(table.key, table.at), index('sign_in_attempts_at').on(table.at)],
)

export const workspaces = consoleSchema.table(
  'workspaces',
  {
    slug: text('slug').primaryKey(),
    name: text('name').notNull(),
    kind: text('kind').$type<'control-plane' | 'direct'>().notNull(),
    baseUrl: text('base_url'),
    /** Keys, sealed for this slug and the origin of `base_url`. */
    sealedAuth: text('sealed_auth'),
    dialect: text('dialect').$type<'auto' | 'graph' | 'langgraph'>().notNull().default('auto'),
    allowedOrigins: text('allowed_origins').array().notNull().default([]),
    /** Where the traces of its deployments are read from. */
    tracesUrl: text('traces_url'),
    /** Its key, sealed for this slug and the origin of `traces_url`. */
    tracesSealedAuth: text('traces_sealed_auth'),
    /** Who can see the names of a deployment's secrets. Values are never shown. */
    secretNames: text('secret_names').$type<'members' | 'admins'>().notNull().default('members'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    /** A deleted slug stays reserved, because recordings and audit entries refer to it. */
    deletedAt: moment('deleted_at'),
  },
  (table) => [check('workspaces_base_url', sql`(${table.kind} = 'direct') = (${table.baseUrl} is null)`)],
)

/** The agent servers of a workspace of kind `direct`. */
export const directServers = consoleSchema.table(
  'direct_servers',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    workspace: text('workspace')
      .notNull()
      .references(() => workspaces.slug, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    url: text('url').notNull(),
    /** Its key, sealed for this server's id and the origin of `url`. */
    sealedAuth: text('sealed_auth'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [index('direct_servers_workspace').on(table.workspace)],
)

/** Append-only. Each row's `mac` covers the row and the one before it. */
export const audit = consoleSchema.table(
  'audit',
  {
    seq: bigint('seq', { mode: 'number' }).primaryKey(),
    /** Milliseconds, because the MAC covers the time as JavaScript prints it. */
    at: timestamp('at', { withTimezone: true, precision: 3 }).notNull(),
    kind: text('kind').$type<'intent' | 'outcome' | 'denial'>().notNull(),
    /** On an outcome: its intent. */
    intent: bigint('intent', { mode: 'number' }),
    actor: text('actor').notNull(),
    actorEmail: text('actor_email').notNull(),
    role: text('role').$type<Role>(),
    workspace: text('workspace').notNull(),
    operation: text('operation').notNull(),
    /** `json`, not `jsonb`, keeps the text as it was, with NUL escapes and lone surrogates. */
    params: json('params').$type<Record<string, string>>().notNull(),
    /** Names of the fields sent, never their values. */
    fields: json('fields').$type<string[]>().notNull(),
    upstreamStatus: integer('upstream_status'),
    outcome: text('outcome'),
    requestId: text('request_id').notNull(),
    mac: text('mac').notNull(),
  },
  (table) => [index('audit_workspace').on(table.workspace, table.seq), index('audit_intent').on(table.intent)],
)

/** One row: the end of the chain. Its lock orders concurrent appends; its seal reveals removed rows. */
export const auditHead = consoleSchema.table(
  'audit_head',
  {
    id: smallint('id').primaryKey().default(1),
    chain: uuid('chain').notNull(),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    mac: text('mac').notNull(),
    seal: text('seal').notNull(),
  },
  (table) => [check('audit_head_one_row', sql`${table.id} = 1`)],
)

/** Where rows were removed between others. lib/server/audit/prune.ts */
export const auditGaps = consoleSchema.table('audit_gaps', {
  first: bigint('first', { mode: 'number' }).notNull(),
  through: bigint('through', { mode: 'number' }).primaryKey(),
  /** Of the last removed row: the next one's covers it. */
  mac: text('mac').notNull(),
  seal: text('seal').notNull(),
})

/** One row: how much of the trail is kept. lib/server/audit/retention.ts */
export const auditRetention = consoleSchema.table(
  'audit_retention',
  {
    id: smallint('id').primaryKey().default(1),
    /** Null: for good. */
    days: integer('days'),
    /** For each workspace; null: any size. */
    maxBytes: bigint('max_bytes', { mode: 'number' }),
    /** The limits that workspaces have of their own. One column, so that the seal shows when one was removed. */
    own: json('own').$type<Record<string, AuditLimits>>().notNull().default({}),
    /** Administrators have confirmed that they hold a file of the entries up to here; 0: of none. */
    exportedThrough: bigint('exported_through', { mode: 'number' }).notNull(),
    exportedAt: timestamp('exported_at', { withTimezone: true, precision: 3 }),
    seal: text('seal').notNull(),
  },
  (table) => [check('audit_retention_one_row', sql`${table.id} = 1`)],
)

/** Responses of creates, so that repeating a request creates nothing twice. */
export const idempotencyKeys = consoleSchema.table(
  'idempotency_keys',
  {
    account: text('account').notNull(),
    key: text('key').notNull(),
    operation: text('operation').notNull(),
    /** The same key with another body is rejected. */
    bodyHash: text('body_hash').notNull(),
    /** Null while the first request is under way. */
    result: json('answer'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.key] }),
    index('idempotency_keys_created').on(table.createdAt),
  ],
)

/** A user's named filters of a list. */
export const savedViews = consoleSchema.table(
  'saved_views',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    account: uuid('account')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    workspace: text('workspace').notNull(),
    page: text('page').notNull(),
    name: text('name').notNull(),
    query: text('query').notNull(),
    /** The view the page opens with; at most one per page. */
    isDefault: boolean('is_default').notNull().default(false),
    /** All members of the workspace see it; only its owner changes it. */
    isShared: boolean('is_shared').notNull().default(false),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('saved_views_name').on(table.account, table.workspace, table.page, sql`lower(${table.name})`),
    uniqueIndex('saved_views_default').on(table.account, table.workspace, table.page).where(sql`${table.isDefault}`),
  ],
)

/** The deployments that a person marked; ids of the control plane, so there is no foreign key. */
export const favourites = consoleSchema.table(
  'favourites',
  {
    account: uuid('account')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    workspace: text('workspace').notNull(),
    deployment: text('deployment').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.account, table.workspace, table.deployment] })],
)

const dollars = (name: string) => numeric(name, { mode: 'number' })

/** Model prices in US dollars per million tokens. No foreign key: the first workspace is in the environment. */
export const modelPrices = consoleSchema.table(
  'model_prices',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    workspace: text('workspace').notNull(),
    /** A name; `*` stands for any text. */
    model: text('model').notNull(),
    /** Null: any provider. */
    provider: text('provider'),
    input: dollars('input').notNull(),
    output: dollars('output').notNull(),
    cachedInput: dollars('cached_input'),
    reasoning: dollars('reasoning'),
    cacheWrite: dollars('cache_write'),
    cacheWrite1h: dollars('cache_write_1h'),
    /** First day it applies, in UTC; null: from the beginning. */
    validFrom: date('valid_from', { mode: 'string' }),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('model_prices_place').on(
      table.workspace,
      sql`lower(${table.model})`,
      sql`lower(coalesce(${table.provider}, ''))`,
      sql`coalesce(${table.validFrom}, '-infinity'::date)`,
    ),
    check(
      'model_prices_amounts',
      sql`${table.input} >= 0 and ${table.output} >= 0 and coalesce(${table.cachedInput}, 0) >= 0 and coalesce(${table.reasoning}, 0) >= 0 and coalesce(${table.cacheWrite}, 0) >= 0 and coalesce(${table.cacheWrite1h}, 0) >= 0`,
    ),
  ],
)

/** A user's named run request. */
export const runTemplates = consoleSchema.table(
  'run_templates',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    account: uuid('account')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    workspace: text('workspace').notNull(),
    deployment: text('deployment').notNull(),
    name: text('name').notNull(),
    /** JSON text of the form's content, without secrets. */
    body: text('body').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('run_templates_name').on(table.account, table.workspace, table.deployment, sql`lower(${table.name})`),
  ],
)

/** Bearer tokens of the HTTP API. Only a hash of the secret is kept. */
export const apiTokens = consoleSchema.table(
  'api_tokens',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** No foreign key: the first workspace is in the environment. */
    workspace: text('workspace').notNull(),
    name: text('name').notNull(),
    /** The owner of a personal token, whose own role limits it; null for a service account. */
    account: uuid('account').references(() => accounts.id, { onDelete: 'cascade' }),
    role: text('role').$type<Role>().notNull(),
    /** The only deployments that it reaches; null: all. */
    deployments: text('deployments').array(),
    hash: text('hash').notNull(),
    /** E-mail address of its creator. */
    createdBy: text('created_by').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    lastUsedAt: moment('last_used_at'),
    revokedAt: moment('revoked_at'),
  },
  (table) => [
    index('api_tokens_workspace').on(table.workspace, table.createdAt),
    check('api_tokens_role', sql`${table.role} in ('viewer', 'developer', 'admin')`),
  ],
)

/** What alerts watch. */
export const alertRules = consoleSchema.table(
  'alert_rules',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** No foreign key: the first workspace is in the environment. */
    workspace: text('workspace').notNull(),
    name: text('name').notNull(),
    kind: text('kind').$type<AlertKind>().notNull(),
    settings: json('settings').$type<AlertSettings>().notNull(),
    /** Null: all. */
    deployments: text('deployments').array(),
    channels: uuid('channels').array().notNull().default([]),
    isEnabled: boolean('is_enabled').notNull().default(true),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [uniqueIndex('alert_rules_name').on(table.workspace, sql`lower(${table.name})`)],
)

/** Where alerts are sent. */
export const alertChannels = consoleSchema.table(
  'alert_channels',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    workspace: text('workspace').notNull(),
    name: text('name').notNull(),
    kind: text('kind').$type<ChannelKind>().notNull(),
    /** What may be shown: an address without what is secret in it. */
    target: text('target').notNull(),
    /** The whole address and the signing secret, sealed for this channel and the origin of its address. */
    sealed: text('sealed'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [uniqueIndex('alert_channels_name').on(table.workspace, sql`lower(${table.name})`)],
)

/** How each thing that a rule watches was found, from look to look. */
export const alertStates = consoleSchema.table(
  'alert_states',
  {
    rule: uuid('rule')
      .notNull()
      .references(() => alertRules.id, { onDelete: 'cascade' }),
    subject: text('subject').notNull(),
    name: text('name').notNull(),
    deployment: text('deployment'),
    machine: json('machine').$type<Machine>().notNull(),
    /** Channels were told that it fires. */
    isTold: boolean('is_told').notNull().default(false),
    detail: text('detail').notNull(),
  },
  (table) => [primaryKey({ columns: [table.rule, table.subject] })],
)

/** Alerts that fired and were resolved. Outlives its rule. */
export const alertEvents = consoleSchema.table(
  'alert_events',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    workspace: text('workspace').notNull(),
    rule: uuid('rule').notNull(),
    ruleName: text('rule_name').notNull(),
    subject: text('subject').notNull(),
    name: text('name').notNull(),
    deployment: text('deployment'),
    event: text('event').$type<'fired' | 'resolved'>().notNull(),
    detail: text('detail').notNull(),
    isSilenced: boolean('is_silenced').notNull().default(false),
    at: moment('at').notNull().defaultNow(),
  },
  (table) => [index('alert_events_workspace').on(table.workspace, table.at)],
)

/** Messages to channels, each with the alerts of one round. */
export const alertDeliveries = consoleSchema.table(
  'alert_deliveries',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    workspace: text('workspace').notNull(),
    channel: uuid('channel')
      .notNull()
      .references(() => alertChannels.id, { onDelete: 'cascade' }),
    subject: text('subject').notNull(),
    message: json('message').$type<AlertMessage>().notNull(),
    status: text('status').$type<'waiting' | 'delivered' | 'failed'>().notNull().default('waiting'),
    attempts: integer('attempts').notNull().default(0),
    problem: text('problem'),
    isTest: boolean('is_test').notNull().default(false),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** When it is tried next. An instance that sends it moves this on first, so that no other does. */
    nextAt: moment('next_at').notNull().defaultNow(),
    endedAt: moment('ended_at'),
  },
  (table) => [
    index('alert_deliveries_workspace').on(table.workspace, table.createdAt),
    index('alert_deliveries_due').on(table.nextAt).where(sql`${table.status} = 'waiting'`),
  ],
)

export const alertSilences = consoleSchema.table(
  'alert_silences',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    workspace: text('workspace').notNull(),
    /** Null: every rule. */
    rule: uuid('rule').references(() => alertRules.id, { onDelete: 'cascade' }),
    /** Null: every deployment. */
    deployment: text('deployment'),
    reason: text('reason').notNull(),
    by: text('by').notNull(),
    until: moment('until').notNull(),
  },
  (table) => [index('alert_silences_workspace').on(table.workspace, table.until)],
)

/** One row: the instance that evaluates the rules, until its lease ends. */
export const alertLease = consoleSchema.table(
  'alert_lease',
  {
    id: smallint('id').primaryKey().default(1),
    holder: uuid('holder').notNull(),
    until: moment('until').notNull(),
    evaluatedAt: moment('evaluated_at'),
  },
  (table) => [check('alert_lease_one_row', sql`${table.id} = 1`)],
)

/** Inputs that a workspace runs its assistants on, under a name. */
export const inputSets = consoleSchema.table(
  'input_sets',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    workspace: text('workspace').notNull(),
    name: text('name').notNull(),
    /** JSON texts. */
    inputs: json('inputs').$type<string[]>().notNull(),
    createdBy: text('created_by').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [uniqueIndex('input_sets_name').on(table.workspace, sql`lower(${table.name})`)],
)

/** Assistants that run on the same inputs. */
export const experiments = consoleSchema.table(
  'experiments',
  {
    id: uuid('id').primaryKey(),
    workspace: text('workspace').notNull(),
    name: text('name').notNull(),
    createdBy: text('created_by').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    subjects: json('subjects').$type<Subject[]>().notNull(),
    /** JSON texts. */
    inputs: json('inputs').$type<string[]>().notNull(),
    checks: json('checks').$type<Check[]>().notNull(),
    /** A console instance starts its runs until then, and renews this while it does. */
    runningUntil: moment('running_until'),
    stoppedAt: moment('stopped_at'),
  },
  (table) => [index('experiments_workspace').on(table.workspace, table.createdAt)],
)

/** One assistant of an experiment on one of its inputs. */
export const experimentPairs = consoleSchema.table(
  'experiment_pairs',
  {
    experiment: uuid('experiment')
      .notNull()
      .references(() => experiments.id, { onDelete: 'cascade' }),
    subject: smallint('subject').notNull(),
    input: smallint('input').notNull(),
    state: text('state').$type<PairState>().notNull(),
    recording: uuid('recording'),
    /** The deployment's revision that served when the run was started; null if unknown. */
    revision: text('revision'),
    /** JSON; null until the run has ended. */
    result: json('result').$type<PairResult>(),
    /** Why the run was not started. */
    error: text('error'),
    thumb: smallint('thumb'),
    note: text('note').notNull().default(''),
    ratedBy: text('rated_by'),
  },
  (table) => [primaryKey({ columns: [table.experiment, table.subject, table.input] })],
)
