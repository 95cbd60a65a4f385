'use client'
import { createContext, type ReactNode, useContext } from 'react'

/** Why a person may not do something, as a sentence; undefined where they may. Shown on the disabled button. */
type Reasons = { run?: string; administer?: string }

const RightsContext = createContext<Reasons>({})

/** What the person may do in this workspace. For display only: rights are checked where the data is. */
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
