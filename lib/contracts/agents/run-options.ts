/** The choices of a run request, without the schemas, so that forms stay small. */

export const MULTITASK_STRATEGIES = ['reject', 'rollback', 'interrupt', 'enqueue'] as const
export type MultitaskStrategy = (typeof MULTITASK_STRATEGIES)[number]

export const DURABILITIES = ['sync', 'async', 'exit'] as const
export const ON_DISCONNECT = ['continue', 'cancel'] as const
export const ON_COMPLETION = ['delete', 'keep'] as const
export const IF_NOT_EXISTS = ['reject', 'create'] as const
export const CANCEL_ACTIONS = ['interrupt', 'rollback'] as const
export type CancelAction = (typeof CANCEL_ACTIONS)[number]

const CANCEL_ERRORS: Record<string, CancelAction> = { UserInterrupt: 'interrupt', UserRollback: 'rollback' }

/** How a run was cancelled, where npm and Python servers report that as an error of the run. */
export function cancelOf({ error, message }: { error?: unknown; message?: unknown }): CancelAction | undefined {
  const byName = CANCEL_ERRORS[String(error)]
  return byName ?? (error === 'Error' ? CANCEL_ACTIONS.find((action) => action === message) : undefined)
}
