/**
 * The tables of one deployment, in its own PostgreSQL schema, applied once and in order; never change a released one.
 * Users' free text is `json` or `text`, because `jsonb` cannot hold every JSON string.
 */
export const MIGRATIONS: readonly string[] = [
  `
  create table instances (
    id integer generated always as identity primary key,
    owner text not null,
    started_at timestamptz not null default now()
  );

  create table assistants (
    assistant_id text primary key,
    graph_id text not null,
    name text not null,
    description text,
    config jsonb not null,
    context jsonb not null,
    metadata jsonb not null,
    version integer not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create table assistant_versions (
    assistant_id text not null references assistants on delete cascade,
    version integer not null,
    graph_id text not null,
    name text not null,
    description text,
    config jsonb not null,
    context jsonb not null,
    metadata jsonb not null,
    created_at timestamptz not null default now(),
    primary key (assistant_id, version)
  );

  create table threads (
    thread_id text primary key,
    status text not null default 'idle',
    -- What the status is when no run makes it busy.
    resting text not null default 'idle',
    metadata jsonb not null default '{}',
    config json not null default '{}',
    error json,
    -- Of a stateless run: hidden, and removed with it.
    is_temporary boolean not null default false,
    -- Minutes to live since the last change, and what is removed then.
    ttl_minutes double precision,
    ttl_strategy text,
    expires_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    state_updated_at timestamptz not null default now()
  );
  create index threads_metadata on threads using gin (metadata jsonb_path_ops);
  create index threads_created on threads (created_at);
  create index threads_updated on threads (updated_at);
  create index threads_expiry on threads (expires_at) where expires_at is not null;

  create table runs (
    run_id text primary key,
    seq bigint generated always as identity,
    thread_id text not null references threads on delete cascade,
    assistant_id text not null,
    graph_id text not null,
    status text not null default 'pending',
    metadata jsonb not null,
    kwargs json not null,
    -- Configuration and context with the assistant's merged in, as they were when the run was made.
    plan json not null,
    multitask_strategy text not null,
    is_resumable boolean not null,
    -- A reader in another process waits for its start.
    is_watched boolean not null default false,
    error json,
    -- Instance that took the request, and instance that executes.
    creator integer not null,
    owner integer,
    attempt integer not null default 0,
    crashes integer not null default 0,
    cancel text,
    has_kept_writes boolean not null default false,
    run_after timestamptz not null default now(),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  -- One run of a thread at a time, whatever happens.
  create unique index runs_running on runs (thread_id) where status = 'running';
  create index runs_pending on runs (seq) where status = 'pending';
  create index runs_thread on runs (thread_id, seq desc);

  -- What stood beside the checkpoints that a run continues from; a rollback puts it back.
  create table kept_writes (
    run_id text not null,
    thread_id text not null,
    checkpoint_ns text not null,
    checkpoint_id text not null,
    task_id text not null,
    idx integer not null,
    channel text not null,
    type text,
    blob bytea not null,
    primary key (run_id, checkpoint_ns, checkpoint_id, task_id, idx)
  );

  -- Events of runs that can be resumed, and of those that a reader follows from another process.
  create table run_events (
    run_id text not null,
    id bigint not null,
    event text not null,
    data text not null,
    created_at timestamptz not null default now(),
    primary key (run_id, id)
  );
  create index run_events_age on run_events (created_at);

  -- A stored channel value as JSON, null where it is none or holds what jsonb cannot.
  create function as_json(value bytea) returns jsonb language plpgsql immutable as $$
  begin
    return convert_from(value, 'UTF8')::jsonb;
  exception when others then
    return null;
  end $$;
  `,
  `
  -- Long-term memory. The collation makes the keys below a namespace a range of the primary key.
  create table items (
    id bigint generated always as identity unique,
    namespace text[] collate "C" not null,
    key text collate "C" not null,
    value json not null,
    -- Minutes to live since the last write, or since the last read that renews it.
    ttl_minutes double precision,
    expires_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (namespace, key)
  );
  create index items_expiry on items (expires_at) where expires_at is not null;

  create table crons (
    cron_id text primary key,
    assistant_id text not null references assistants on delete cascade,
    -- Null where each firing gets a thread of its own.
    thread_id text references threads on delete cascade,
    on_run_completed text,
    schedule text not null,
    timezone text not null,
    end_time timestamptz,
    enabled boolean not null,
    -- The run request that each firing makes, but for what stands in columns of its own.
    payload json not null,
    metadata jsonb not null,
    -- Null for one that does not fire any more. Moving it on is what claims a firing.
    next_run_date timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create index crons_due on crons (next_run_date) where next_run_date is not null;
  create index crons_assistant on crons (assistant_id);
  create index crons_thread on crons (thread_id) where thread_id is not null;

  alter table runs add column started_at timestamptz;
  -- Notices of ended runs that wait to be delivered. Written with the end, so that none is lost; text, because it is only sent.
  create table webhooks (
    id bigint generated always as identity primary key,
    run_id text not null,
    url text not null,
    body text not null,
    attempts integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    created_at timestamptz not null default now()
  );
  create index webhooks_due on webhooks (next_attempt_at);
  `,
  `
  -- Parts of large values (of states and inputs), each stored once for a thread and compressed already.
  create table large_pieces (
    thread_id text not null references threads on delete cascade,
    name bytea not null,
    data bytea not null,
    primary key (thread_id, name)
  );
  alter table large_pieces alter column data set storage external;
  -- The names of the parts of a large input, which its kwargs then leave out.
  alter table runs add column input_pieces bytea;
  `,
  `
  -- Newest first of a status. Threads of stateless runs are in no list.
  create index threads_status on threads (status, created_at) where not is_temporary;
  -- Searches by values: short ones by themselves, and those in pieces, which are looked into elsewhere.
  create index checkpoint_blobs_small on checkpoint_blobs (channel, blob)
    where checkpoint_ns = '' and type = 'json' and octet_length(blob) <= 200;
  create index checkpoint_blobs_pieces on checkpoint_blobs (channel, thread_id) where checkpoint_ns = '' and type = 'pieces';
  `,
  `
  -- The run's number in its thread, from which the numbers of its events in protocol 2 follow.
  alter table threads add column run_count integer not null default 0;
  alter table runs add column ordinal integer not null default 0;
  `,
  `
  -- What items mean, for searches: vectors of length 1, one per indexed text.
  create table item_vectors (
    item_id bigint not null references items (id) on delete cascade,
    vector real[] not null
  );
  create index item_vectors_item on item_vectors (item_id);
  `,
  `
  -- Who created the cron, where the deployment authenticates its callers.
  alter table crons add column "user" jsonb;
  `,
  `
  -- Which processes have open streams of a thread, so that the events of its runs are stored for them.
  create table thread_readers (
    thread_id text not null,
    instance integer not null,
    primary key (thread_id, instance)
  );
  `,
  `
  -- Where other agents want to be told about a task, which has the id of its first run.
  create table push_configs (
    task_id text not null references runs (run_id) on delete cascade,
    config_id text not null,
    version text not null,
    url text not null,
    token text not null,
    scheme text not null,
    credentials text not null,
    created_at timestamptz not null default now(),
    primary key (task_id, config_id)
  );
  -- A notice of a task instead of a webhook; its body is written when it is sent.
  alter table webhooks add column push_task text, add column push_config text,
    add foreign key (push_task, push_config) references push_configs on delete cascade;
  create index webhooks_push on webhooks (push_task, push_config) where push_task is not null;
  `,
]

/**
 * The oldest agent server that can use the tables after all migrations, as the number of migrations it knows. That of the
 * previous release must be able to, so that an upgrade can be rolled back: remove something only a release after its last use.
 */
export const COMPATIBLE_SINCE = 9
