'use client'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Toaster } from '@/components/ui/toast'
import { makeQueryClient } from '@/lib/queries/query-client'
import { goLive } from './early/live'
import { followTheme } from './early/theme'

export function Providers({ children }: { children: ReactNode }) {
  const [client] = useState(makeQueryClient)
  useEffect(followTheme, [])
  useEffect(goLive, [])
  return (
    <QueryClientProvider client={client}>
      {children}
      <Toaster />
    </QueryClientProvider>
  )
}
