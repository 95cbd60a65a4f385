'use client'
import { createContext, type ReactNode, useContext } from 'react'

/** Why an action is not allowed, as a sentence for the disabled button; undefined if it is allowed. */
type Reasons = {
  run?: string
  administer?: string
  /** Why runs of one of the workspace's deployments cannot be started, answered or cancelled. */
  runAt: (deployment: string) => string | undefined
}

const RightsContext = createContext<Reasons>({ runAt: () => undefined })

type RightsProps = {
  canRun: boolean
  canAdminister: boolean
  /** The only deployments where the user may run, if not the same everywhere. */
  runsIn?: readonly string[] | null
  children: ReactNode
}

/** What the user may do in this workspace. For display only; the server enforces it. */
export function Rights({ canRun, canAdminister, runsIn, children }: RightsProps) {
  const run = canRun ? undefined : 'Requires the developer role. Ask an administrator.'
  const reasons: Reasons = {
    run,
    administer: canAdminister ? undefined : 'Requires the admin role. Ask an administrator.',
    runAt: (deployment) =>
      run ?? (runsIn && !runsIn.includes(deployment) ? 'Requires the developer role for this deployment.' : undefined),
  }
  return <RightsContext value={reasons}>{children}</RightsContext>
}

/** The rights at one deployment, for a part of a page about the whole workspace. */
export function RightsAt({ deployment, children }: { deployment: string; children: ReactNode }) {
  const reasons = useReasons()
  return <RightsContext value={{ ...reasons, run: reasons.runAt(deployment) }}>{children}</RightsContext>
}

export const useReasons = (): Reasons => useContext(RightsContext)

/** Why an action on the selected rows, of these deployments, is not allowed. */
export function useRunReason(deployments: readonly (string | undefined)[]): string | undefined {
  const { run, runAt } = useReasons()
  const refused = deployments.filter((one) => one !== undefined && runAt(one) !== undefined).length
  if (run || refused === 0) return run
  return `${refused} of the selected ${refused === 1 ? 'requires the developer role for its' : 'require the developer role for their'} deployment.`
}
