'use client'
import { createContext, type ReactNode, useContext } from 'react'

/** Why an action is not allowed, as a sentence for the disabled button; undefined if it is allowed. */
type Reasons = { run?: string; administer?: string }

const RightsContext = createContext<Reasons>({})

/** What the user may do in this workspace. For display only; the server enforces it. */
export const Rights = ({
  canRun,
  canAdminister,
  children,
}: {
  canRun: boolean
  canAdminister: boolean
  children: ReactNode
}) => (
  <RightsContext
    value={{
      run: canRun ? undefined : 'Requires the developer role. Ask an administrator.',
      administer: canAdminister ? undefined : 'Requires the admin role. Ask an administrator.',
    }}
  >
    {children}
  </RightsContext>
)

export const useReasons = (): Reasons => useContext(RightsContext)
