import type { TaskPushNotificationConfig } from '@a2a-js/sdk'
import { invalid } from '../kernel/errors'
import type { WebhookRules } from '../kernel/webhook-rules'
import type { Db } from '../persistence/db'
import { checkWebhook } from '../runs/webhook-target'
import type { PushNotice, PushRequest } from '../runs/webhooks'
import type { A2aTasks } from './a2a-tasks'

export type A2aVersion = '0.3' | '1.0'
type Row = { task_id: string; config_id: string; version: A2aVersion; url: string; token: string; auth: string }

const MOST_PER_TASK = 20
const LONGEST = 4_096
/** What a header can hold. */
const PRINTABLE = /^[\x20-\x7e]*$/

/**
 * Push notifications of tasks: where other agents want to be told when a task completes, fails, is cancelled or needs
 * input. They are delivered like webhooks, to the same addresses and with the same retries.
 */
export class A2aPush {
  constructor(
    private readonly db: Db,
    private readonly tasks: A2aTasks,
    private readonly rules: WebhookRules,
    private readonly onNotice: () => void,
  ) {}

  get isOn(): boolean {
    return !this.rules.isOff
  }

  /** Throws a 422 for a configuration that cannot be used. */
  check({ id, url, token, authentication }: TaskPushNotificationConfig): void {
    checkWebhook(url, this.rules)
    const texts = { id, token, scheme: authentication?.scheme ?? '', credentials: authentication?.credentials ?? '' }
    for (const [name, text] of Object.entries(texts))
      if (text.length > LONGEST || !PRINTABLE.test(text))
        throw invalid(['body', name], `It has at most ${LONGEST} printable ASCII characters`)
    if (/\s/.test(texts.scheme)) throw invalid(['body', 'scheme'], 'A scheme is one word, such as Bearer')
  }

  /**
   * Stores a configuration; one with the same id is replaced. With `begun`, the run that the same request started, a run that
   * has ended meanwhile is told, too.
   */
  async save(
    taskId: string,
    config: TaskPushNotificationConfig,
    version: A2aVersion,
    { threadId, begun }: { threadId: string; begun?: string },
  ): Promise<TaskPushNotificationConfig> {
    const id = config.id || taskId
    const { scheme, credentials } = config.authentication ?? { scheme: '', credentials: '' }
    await this.db.transaction(async (query) => {
      // A run ends under the same lock.
      await query('select from threads where thread_id = $1 for update', [threadId])
      const [row] = await query<{ others: number }>(
        'select count(*)::int as others from push_configs where task_id = $1 and config_id <> $2',
        [taskId, id],
      )
      if ((row?.others ?? 0) >= MOST_PER_TASK)
        throw invalid(['body', 'taskId'], `A task has at most ${MOST_PER_TASK} push notification configurations`)
      await query(
        `insert into push_configs (task_id, config_id, version, url, token, scheme, credentials)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (task_id, config_id) do update set version = excluded.version, url = excluded.url,
           token = excluded.token, scheme = excluded.scheme, credentials = excluded.credentials`,
        [taskId, id, version, config.url, config.token, scheme, credentials],
      )
      if (begun === undefined) return
      await query(
        `insert into webhooks (run_id, url, body, push_task, push_config) select run_id, $2, '', $3, $4 from runs
         where run_id = $1 and status not in ('pending', 'running')`,
        [begun, config.url, taskId, id],
      )
    })
    if (begun !== undefined) this.onNotice()
    return { ...config, id, taskId }
  }

  /** All of a task, oldest first. */
  async list(taskId: string): Promise<TaskPushNotificationConfig[]> {
    const rows = await this.db.query<Row & { scheme: string; credentials: string }>(
      'select * from push_configs where task_id = $1 order by created_at, config_id',
      [taskId],
    )
    return rows.map(({ task_id, config_id, url, token, scheme, credentials }) => ({
      ...{ tenant: '', taskId: task_id, id: config_id, url, token },
      authentication: scheme ? { scheme, credentials } : undefined,
    }))
  }

  async remove(taskId: string, id: string): Promise<void> {
    await this.db.query('delete from push_configs where task_id = $1 and config_id = $2', [taskId, id])
  }

  /** Tells about a task that changed without a run's end. */
  async notify(taskId: string, runId: string): Promise<void> {
    await this.db.query(
      `insert into webhooks (run_id, url, body, push_task, push_config)
       select $2, url, '', task_id, config_id from push_configs where task_id = $1`,
      [taskId, runId],
    )
    this.onNotice()
  }

  /** What to send: the task as its run left it. Undefined if the task or the configuration is gone. */
  async requestOf({ run_id, push_task, push_config }: PushNotice): Promise<PushRequest | undefined> {
    const [row] = await this.db.query<Row>(
      `select *, case when scheme = '' then '' else scheme || ' ' || credentials end as auth from push_configs
       where task_id = $1 and config_id = $2`,
      [push_task, push_config],
    )
    const found = row && (await this.tasks.atEndOf(run_id, row.task_id))
    if (!found) return undefined
    const task = await this.tasks.read(found)
    // Loaded on the first delivery, because most deployments never make one.
    const serializer =
      row.version === '0.3'
        ? new (await import('@a2a-js/sdk/compat/v0_3/server')).V03PushNotificationSerializer()
        : new (await import('@a2a-js/sdk/server')).V1PushNotificationSerializer()
    const { body, contentType } = serializer.serialize({ payload: { $case: 'task', value: task } }, task)
    return {
      body,
      headers: {
        'content-type': contentType,
        ...(row.auth && { authorization: row.auth }),
        ...(row.token && { 'x-a2a-notification-token': row.token }),
      },
    }
  }
}
