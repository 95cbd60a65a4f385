/** The choices of a run request, without the schemas, so that forms stay small. */

export const MULTITASK_STRATEGIES = ['reject', 'rollback', 'interrupt', 'enqueue'] as const
export type MultitaskStrategy = (typeof MULTITASK_STRATEGIES)[number]

export const DURABILITIES = ['sync', 'async', 'exit'] as const
export const ON_DISCONNECT = ['continue', 'cancel'] as const
export const ON_COMPLETION = ['delete', 'keep'] as const
export const IF_NOT_EXISTS = ['reject', 'create'] as const
export const CANCEL_ACTIONS = ['interrupt', 'rollback'] as const
export type CancelAction = (typeof CANCEL_ACTIONS)[number]

/** Whether an `error` event only says that its run was rolled back, as npm and Python servers report it. */
export const isRollbackError = (data: { error?: unknown; message?: unknown }): boolean =>
  data.error === 'UserRollback' || (data.error === 'Error' && data.message === 'rollback')
