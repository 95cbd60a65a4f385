'use client'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { traces } from '@/lib/contracts/traces'
import { AppError } from '@/lib/errors'
import { relayFetch } from '@/lib/queries/relay-fetch'

/** Reads one tracing project to check that the address is reachable and accepts the key. */
export function CheckTraces({ workspace }: { workspace: string }) {
  const [isBusy, setBusy] = useState(false)
  async function check() {
    setBusy(true)
    try {
      const found = (await relayFetch(traces.listTracingProjects, { workspace, query: { limit: '1' } })) as unknown[]
      toast.success(found.length > 0 ? 'Tracing works' : 'Tracing works. There are no projects yet.')
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      toast.warning(error.message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button size="sm" isBusy={isBusy} onClick={() => void check()}>
      Check tracing
    </Button>
  )
}
