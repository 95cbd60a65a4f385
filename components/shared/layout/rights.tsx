'use client'
import { createContext, type ReactNode, useContext } from 'react'

/** Why an action is not allowed, as a sentence for the disabled button; undefined if it is allowed. */
type Reasons = {
  run?: string
  administer?: string
  /** Why runs of one of the workspace's deployments cannot be started, answered or cancelled. */
  runAt: (deployment: string) => string | undefined
  /** Why one of the workspace's deployments cannot be changed. */
  administerAt: (deployment: string) => string | undefined
  /** Whether there is a tracing server to ask. */
  hasTraces: boolean
  /** Whether there is a control plane, which can deploy. */
  hasControlPlane: boolean
  /** Whether loopback addresses of the console are those of a container, which nobody else reaches. */
  isInContainer: boolean
}

const RightsContext = createContext<Reasons>({
  runAt: () => undefined,
  administerAt: () => undefined,
  hasTraces: true,
  hasControlPlane: true,
  isInContainer: false,
})

type RightsProps = {
  canRun: boolean
  canAdminister: boolean
  /** The only deployments where the user may run, if not the same everywhere. */
  runsIn?: readonly string[] | null
  /** Likewise where the user may change deployments. */
  administersIn?: readonly string[] | null
  /** Whether the workspace has a tracing server; inherited where it is left out. */
  hasTraces?: boolean
  /** Whether it has a control plane; likewise. */
  hasControlPlane?: boolean
  /** Likewise whether the console runs in a container whose platform is not published. */
  isInContainer?: boolean
  children: ReactNode
}

/** What the user may do in this workspace. For display only; the server enforces it. */
export function Rights({ canRun, canAdminister, runsIn, administersIn, children, ...has }: RightsProps) {
  const above = useReasons()
  const run = canRun ? undefined : 'Requires the developer role. Ask an administrator.'
  const administer = canAdminister ? undefined : 'Requires the admin role. Ask an administrator.'
  const reasons: Reasons = {
    run,
    administer,
    hasTraces: has.hasTraces ?? above.hasTraces,
    hasControlPlane: has.hasControlPlane ?? above.hasControlPlane,
    isInContainer: has.isInContainer ?? above.isInContainer,
    runAt: (deployment) =>
      run ?? (runsIn && !runsIn.includes(deployment) ? 'Requires the developer role for this deployment.' : undefined),
    administerAt: (deployment) =>
      administersIn?.length
        ? administersIn.includes(deployment)
          ? undefined
          : 'Requires the admin role for this deployment.'
        : administer,
  }
  return <RightsContext value={reasons}>{children}</RightsContext>
}

/** The rights at one deployment, for a part of a page about the whole workspace. */
export function RightsAt({ deployment, children }: { deployment: string; children: ReactNode }) {
  const reasons = useReasons()
  const here = { run: reasons.runAt(deployment), administer: reasons.administerAt(deployment) }
  return <RightsContext value={{ ...reasons, ...here }}>{children}</RightsContext>
}

export const useReasons = (): Reasons => useContext(RightsContext)

/** Why an action on the selected rows, of these deployments, is not allowed. */
export function useRunReason(deployments: readonly (string | undefined)[]): string | undefined {
  const { run, runAt } = useReasons()
  const refused = deployments.filter((one) => one !== undefined && runAt(one) !== undefined).length
  if (run || refused === 0) return run
  return `${refused} of the selected ${refused === 1 ? 'requires the developer role for its' : 'require the developer role for their'} deployment.`
}

/** Why the selected deployments cannot be changed. */
export function useAdministerReason(deployments: readonly string[]): string | undefined {
  const { administerAt } = useReasons()
  const refused = deployments.filter((one) => administerAt(one) !== undefined)
  const [first] = refused
  if (first === undefined || refused.length === deployments.length) return first && administerAt(first)
  return `${refused.length} of the selected ${refused.length === 1 ? 'requires' : 'require'} the admin role.`
}
